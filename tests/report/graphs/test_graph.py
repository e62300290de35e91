from __future__ import annotations

from tensordbg.analysis.graphs.function_graph import Section, function_graph
from tensordbg.report.graphs.graph import graph_text
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage
from tensordbg.trace.reader import TraceReader
from tests.report.rendering import rendered


def test_a_graph(sample_reader: TraceReader) -> None:
    lines = rendered(graph_text(function_graph(sample_reader, "train")))
    assert lines[0] == "train (function 0)  (float32[2, 3])  as Python built it"
    assert [line.split() for line in lines[1:7]] == [
        ["operation", "type", "inputs", "output", "line"],
        ["x", "argument", "0", "float32[2,", "3]", "train.py:3"],
        ["Log", "Log", "x", "float32[2,", "3],", "1", "of", "3", "not", "finite", "train.py:3"],
        ["call", "→", "PartitionedCall", "of", "inner", "Log", "train.py:3"],
        ["y", "argument", "0", "train.py:3"],
        ["mul", "Mul", "y,", "y", "train.py:3"],
    ]
    assert lines[5].startswith("  y "), "what a call runs stands below it"
    assert lines[-1] == "5 operations; called 3 times from Python; → marks what it returns"


def test_what_is_not_shown(sample_reader: TraceReader) -> None:
    GraphFiles(sample_reader.path).write(0, GraphStage.RUN, b"")
    lines = rendered(graph_text(function_graph(sample_reader, "train", Section(depth=0, around="x", hops=1))))
    assert lines[-3:] == [
        "2 of 3 operations; called 3 times from Python; → marks what it returns",
        "1 call not opened; --depth opens more",
        "--as run shows what TensorFlow makes of it",
    ]


def test_notes_of_the_function(sample_reader: TraceReader) -> None:
    assert "not compiled by XLA" in rendered(graph_text(function_graph(sample_reader, "inner")))
