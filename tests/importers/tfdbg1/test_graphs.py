"""The graph of a run has the program's operations, connected as they were before the debugger looked."""

from __future__ import annotations

import pytest

from tensordbg.errors import TraceError
from tensordbg.importers.tfdbg1.graphs import RunNode, nodes_of
from tensordbg.trace.graphs.graphdef import GraphDefMessage, GraphDefNode, text_attribute

KEY = {"tensor_name": text_attribute("edge_7_Exp")}


def graph(*nodes: GraphDefNode) -> bytes:
    return GraphDefMessage(nodes).encode()


def test_copies_and_what_looks_at_them_are_left_out() -> None:
    nodes = nodes_of(
        [
            graph(
                GraphDefNode("_arg_x_0_0", "_Arg"),
                GraphDefNode("__copy__arg_x_0_0_0", "Copy", ("_arg_x_0_0",)),
                GraphDefNode("__dbg__arg_x_0_0:0_0_DebugIdentity", "DebugIdentity", ("__copy__arg_x_0_0_0",)),
                GraphDefNode("Split", "Split", ("__copy__arg_x_0_0_0", "^__dbg__arg_x_0_0:0_0_DebugIdentity"), "/cpu"),
                GraphDefNode("__copy_Split_1", "CopyHost", ("Split:1",)),
                GraphDefNode("MatMul", "_MklMatMul", ("__copy_Split_1", "Split")),
                GraphDefNode("_retval_MatMul_0_0", "_Retval", ("MatMul",)),
            )
        ]
    )
    assert nodes == (
        RunNode("x", "Placeholder", (), ""),
        RunNode("Split", "Split", (("x", 0),), "/cpu"),
        RunNode("MatMul", "MatMul", (("Split", 1), ("Split", 0)), ""),
    )


def test_what_comes_from_another_device_comes_from_who_sent_it() -> None:
    sender = graph(GraphDefNode("Exp", "Exp"), GraphDefNode("Exp/_0", "_Send", ("Exp",), attributes=KEY))
    receiver = graph(GraphDefNode("Exp/_1", "_Recv", attributes=KEY), GraphDefNode("Log", "Log", ("Exp/_1",)))
    assert nodes_of([receiver, sender])[0] == RunNode("Log", "Log", (("Exp", 0),), "")


def test_loops_are_opened_where_they_turn_back() -> None:
    nodes = nodes_of(
        [
            graph(
                GraphDefNode("Enter", "Enter"),
                GraphDefNode("Merge", "Merge", ("Enter", "NextIteration")),
                GraphDefNode("NextIteration", "NextIteration", ("Merge",)),
            )
        ]
    )
    assert {node.name: node.inputs for node in nodes} == {
        "Enter": (),
        "Merge": (("Enter", 0),),
        "NextIteration": (("Merge", 0),),
    }


def test_circles_and_rubbish_end() -> None:
    circle = graph(GraphDefNode("__copy_a", "Copy", ("__copy_a",)), GraphDefNode("b", "Log", ("__copy_a", "gone:x")))
    assert [node.name for node in nodes_of([circle])] == ["b"]
    with pytest.raises(TraceError, match="can't be read"):
        nodes_of([b"\xff\xff"])
