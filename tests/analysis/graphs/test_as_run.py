from __future__ import annotations

import pytest

from tensordbg.analysis.graphs.as_run import in_data_order, run_graph
from tensordbg.analysis.graphs.changes import Fate
from tensordbg.errors import UsageError
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefMessage, GraphDefNode
from tensordbg.trace.reader import TraceReader
from tests.analysis.graphs.sample_graphs import CPU, node

RUN = (
    node("call/mul", "_FusedMul", "x", parts=("Log", "Mul")),
    node("x", "_Arg"),
    node("call/y/_send", "_Send", "x"),
    node("identity_RetVal", "_Retval", "call/mul"),
)


def keep(reader: TraceReader, stage: GraphStage, *nodes: GraphDefNode) -> None:
    GraphFiles(reader.path).write(0, stage, GraphDefMessage(nodes).encode())


def test_a_function_as_it_runs(sample_reader: TraceReader) -> None:
    keep(sample_reader, GraphStage.RUN, *RUN)
    graph = run_graph(sample_reader, "train")
    assert (graph.function.function, graph.stage, graph.built) == (0, GraphStage.RUN, 5)
    assert [(each.name, each.made_from, each.added_for) for each in graph.nodes] == [
        ("x", ("x",), ""),
        ("call/mul", ("Log", "call/mul"), ""),
        ("call/y/_send", (), "transfers between devices"),
        ("identity_RetVal", (), "results"),
    ]
    assert graph.nodes[0].device == "CPU:0"
    assert graph.nodes[1].source is not None
    assert [change.operations for change in graph.of(Fate.FUSED)] == [("Log", "call/mul")]
    assert graph.of(Fate.REMOVED) == ()
    assert graph.added == {"transfers between devices": 1, "results": 1}


def test_what_the_probes_kept_apart(sample_reader: TraceReader) -> None:
    keep(sample_reader, GraphStage.RUN, *RUN)
    keep(sample_reader, GraphStage.RECORDED, node("Log", "Log", "x"), node("call/mul", "Mul", "Log"))
    assert run_graph(sample_reader, "train").unfused == 1
    recorded = run_graph(sample_reader, "train", GraphStage.RECORDED)
    assert (recorded.unfused, recorded.of(Fate.FUSED)) == (1, ())


def test_no_such_graph(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match="record with --graphs"):
        run_graph(sample_reader, "train")


def test_order_of_the_data() -> None:
    nodes = [
        GraphDefNode("merge", "Merge", ("enter", "next"), CPU),
        GraphDefNode("next", "NextIteration", ("body",)),
        GraphDefNode("body", "Sin", ("merge", "^enter")),
        GraphDefNode("enter", "Enter", ("x",)),
        GraphDefNode("x", "_Arg"),
        GraphDefNode("a", "Odd", ("b",)),
        GraphDefNode("b", "Odd", ("a",)),
    ]
    assert [each.name for each in in_data_order(nodes)] == ["x", "enter", "merge", "body", "next", "a", "b"]
