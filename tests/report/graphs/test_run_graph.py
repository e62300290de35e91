from __future__ import annotations

from tensordbg.analysis.graphs.as_run import run_graph
from tensordbg.report.graphs.run_graph import run_graph_text
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefMessage
from tensordbg.trace.reader import TraceReader
from tests.analysis.graphs.sample_graphs import node
from tests.report.rendering import rendered


def keep(reader: TraceReader) -> None:
    files = GraphFiles(reader.path)
    fused = (
        node("x", "_Arg"),
        node("call/mul", "_FusedMul", "x", parts=("Log", "Mul")),
        node("r", "_Retval", "call/mul"),
    )
    apart = (node("x", "_Arg"), node("Log", "Log", "x"), node("call/mul", "Mul", "Log"))
    files.write(0, GraphStage.RUN, GraphDefMessage(fused).encode())
    files.write(0, GraphStage.RECORDED, GraphDefMessage(apart).encode())


def test_without_recording(sample_reader: TraceReader) -> None:
    keep(sample_reader)
    lines = rendered(run_graph_text(run_graph(sample_reader, "train")))
    assert lines[0] == "train (function 0)  (float32[2, 3])  as TensorFlow runs it without recording"
    assert lines[1].split() == ["operation", "type", "inputs", "device", "from", "line"]
    assert lines[3].split() == ["call/mul", "_FusedMul", "x", "CPU:0", "Log", "+", "call/mul", "train.py:3"]
    assert lines[5:] == [
        "",
        "fused (1)",
        "  Log + call/mul  run as one _FusedMul (Log, Mul)",
        "",
        "3 operations of 5 that Python built; put in: 1 for results",
        "while it was recorded, the probes kept 1 fused operation apart; --as recorded shows that graph",
    ]


def test_as_recorded(sample_reader: TraceReader) -> None:
    keep(sample_reader)
    lines = rendered(run_graph_text(run_graph(sample_reader, "train", GraphStage.RECORDED)))
    assert lines[0].endswith("as it ran while it was recorded, without the probes")
    assert lines[-1] == (
        "the probes kept 1 fused operation apart that TensorFlow makes without them; --as run shows that graph"
    )
