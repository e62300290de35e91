"""Exported graphs; those of real programs are in tests/e2e/test_graph.py."""

from __future__ import annotations

import pytest

from tensordbg.errors import UsageError
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefMessage, GraphDefNode, decode_graph, text_attribute
from tensordbg.trace.reader import TraceReader
from tensordbg.wire.graphdef import LINE, export_graph

BUILT, RUN = GraphStage.BUILT, GraphStage.RUN


def test_from_any_trace(sample_reader: TraceReader) -> None:
    exported = export_graph(sample_reader, "train", BUILT)
    assert (exported.whole, exported.nodes) == (False, 5)
    nodes = {node.name: node for node in decode_graph(exported.message).nodes}
    assert {name: node.op_type for name, node in nodes.items()} == {
        "x": "Placeholder", "Log": "Log", "call": "PartitionedCall", "call/y": "Placeholder", "call/mul": "Mul",
    }  # fmt: skip
    assert nodes["call"].inputs == ("Log", "call/mul")
    assert nodes["call/y"].inputs == ("Log",)
    assert nodes["Log"].attributes[LINE] == text_attribute("/code/train.py:3")


def test_whole(sample_reader: TraceReader) -> None:
    files = GraphFiles(sample_reader.path)
    own = {"train_0": b"\x0a\x09\x0a\x07train_0"}
    inner = {"inner_1": b"\x0a\x09\x0a\x07inner_1"}
    nodes = (GraphDefNode("x", "Placeholder"), GraphDefNode("Log", "Log", ("x",), attributes={"T": b"\x30\x01"}))
    files.write(0, BUILT, GraphDefMessage(nodes, own, b"\x08\x07").encode())
    files.write(1, BUILT, GraphDefMessage((GraphDefNode("mul", "Mul"),), inner).encode())
    exported = export_graph(sample_reader, "train", BUILT)
    graph = decode_graph(exported.message)
    assert (exported.whole, exported.nodes, graph.versions) == (True, 2, b"\x08\x07")
    assert graph.functions == inner, "what it calls, not itself"
    assert graph.nodes[1].attributes == {"T": b"\x30\x01", LINE: text_attribute("/code/train.py:3")}


def test_a_graph_that_is_not_there(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match="record with --graphs"):
        export_graph(sample_reader, "train", RUN)
