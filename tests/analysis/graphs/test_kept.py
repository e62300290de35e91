"""Names of graphs that are kept; what TensorFlow really keeps is in tests/e2e/test_graph.py."""

from __future__ import annotations

import pytest

from tensordbg.analysis.graphs.kept import KeptGraphs
from tensordbg.analysis.program.description import read_program
from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefMessage, GraphDefNode
from tensordbg.trace.reader import TraceReader

BUILT, RUN = GraphStage.BUILT, GraphStage.RUN


def keep(reader: TraceReader, number: int, *nodes: GraphDefNode) -> KeptGraphs:
    GraphFiles(reader.path).write(number, BUILT, GraphDefMessage(nodes).encode())
    return KeptGraphs(reader, read_program(reader))


def test_nothing_is_kept(sample_reader: TraceReader) -> None:
    kept = KeptGraphs(sample_reader, read_program(sample_reader))
    function = sample_reader.functions()[0]
    assert kept.find(function, BUILT) is None
    assert kept.runtime_names(function) == {}
    with pytest.raises(
        UsageError, match=r"^no graph of 'train' as it ran is in .*; record with --graphs to have those"
    ):
        kept.get(function, RUN)


def test_names_that_a_definition_changed(sample_reader: TraceReader) -> None:
    nodes = (
        GraphDefNode("x_0", "Placeholder"),
        GraphDefNode("Log", "Log", ("x_0",)),
        GraphDefNode("call_4", "PartitionedCall", ("Log",)),
    )
    kept = keep(sample_reader, 0, *nodes)
    function = sample_reader.functions()[0]
    assert kept.runtime_names(function) == {0: "x", 1: "Log", 2: "call_4"}
    assert kept.sites_of(function) == {0: "x", 1: "Log", 2: "call"}
    assert kept.get(function, BUILT).nodes == nodes


def test_a_function_that_runs_in_another(sample_reader: TraceReader) -> None:
    kept = keep(sample_reader, 0)
    with pytest.raises(UsageError, match=r"^'inner' runs as a part of train; ask for the graph of that$"):
        kept.get(sample_reader.functions()[1], RUN)
    with pytest.raises(UsageError, match=r"^no run graph of 'train' is in the trace; only functions that Python calls"):
        kept.get(sample_reader.functions()[0], RUN)


def test_damage(sample_reader: TraceReader) -> None:
    GraphFiles(sample_reader.path).write(0, BUILT, b"\x0a\xff")
    kept = KeptGraphs(sample_reader, read_program(sample_reader))
    with pytest.raises(TraceError, match=r"the built graph of function 0 can't be read"):
        kept.find(sample_reader.functions()[0], BUILT)
