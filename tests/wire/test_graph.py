from __future__ import annotations

import json

from tensordbg.analysis.graphs.as_run import run_graph
from tensordbg.analysis.graphs.function_graph import function_graph
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefMessage
from tensordbg.trace.reader import TraceReader
from tensordbg.wire.graph import function_graph_to_json, run_graph_to_json
from tests.analysis.graphs.sample_graphs import node


def test_graph_as_built(sample_reader: TraceReader) -> None:
    graph = json.loads(json.dumps(function_graph_to_json(function_graph(sample_reader, "train"))))
    assert (graph["format"], graph["stage"], graph["total"], graph["kept"]) == (1, "built", 5, [])
    assert graph["function"] == {
        "number": 0, "name": "train", "runtime_name": "train_0", "signature": "(float32[2, 3])", "notes": [],
    }  # fmt: skip
    x, log = graph["nodes"][:2]
    assert (x["argument"], log["argument"]) == (0, None)
    assert (log["name"], log["inputs"], log["shapes"], log["non_finite"]) == ("Log", ["x"], [[2, 3]], 1)
    assert log["source"] == {"file": "/code/train.py", "line": 3, "function": "main", "text": "import tensorflow"}


def test_graph_as_it_runs(sample_reader: TraceReader) -> None:
    running = (node("x", "_Arg"), node("call/mul", "_FusedMul", "x", parts=("Log", "Mul")))
    GraphFiles(sample_reader.path).write(0, GraphStage.RUN, GraphDefMessage(running).encode())
    graph = json.loads(json.dumps(run_graph_to_json(run_graph(sample_reader, "train"))))
    assert (graph["stage"], graph["built"], graph["unfused"], graph["added"]) == ("run", 5, 0, {})
    assert graph["fused"] == [
        {
            "operations": ["Log", "call/mul"],
            "into": "_FusedMul call/mul",
            "reason": "run as one _FusedMul (Log, Mul)",
        }
    ]
    assert [graph[kind] for kind in ("folded", "replaced", "removed", "moved")] == [[], [], [], []]
    assert graph["nodes"][1]["made_from"] == ["Log", "call/mul"]
    assert graph["nodes"][1]["added_for"] is None
