from __future__ import annotations

import pytest

from tensordbg.analysis.graphs.function_graph import Section, find_operation, function_graph, neighbourhood
from tensordbg.errors import UsageError
from tensordbg.trace.reader import TraceReader
from tests.analysis.graphs.sample_graphs import nested, tree_of


def test_the_graph_of_a_function(sample_reader: TraceReader) -> None:
    graph = function_graph(sample_reader, "train")
    assert (graph.function.function, graph.calls, graph.others, graph.stages) == (0, 3, (), ())
    assert [(node.name, node.op_type, node.depth) for node in graph.nodes] == [
        ("x", "Placeholder", 0),
        ("Log", "Log", 0),
        ("call", "PartitionedCall", 0),
        ("call/y", "Placeholder", 1),
        ("call/mul", "Mul", 1),
    ]
    x, log, call, _, mul = graph.nodes
    assert (x.argument, log.argument) == (0, -1)
    assert (log.inputs, log.dtypes, log.shapes) == (("x",), ("float32",), ((2, 3),))
    assert (log.events, log.non_finite, mul.non_finite) == (3, 1, 0)
    assert (call.calls, mul.inputs) == (("inner",), ("call/y", "call/y"))
    assert log.source is not None
    assert (log.source.file, log.source.line) == ("/code/train.py", 3)
    assert graph.results == ("call",)


def test_sections(sample_reader: TraceReader) -> None:
    closed = function_graph(sample_reader, "train", Section(depth=0))
    assert ([node.name for node in closed.nodes], closed.unopened) == (["x", "Log", "call"], 1)
    near = function_graph(sample_reader, "train", Section(around="mul", hops=1))
    assert [node.name for node in near.nodes] == ["call", "call/y", "call/mul"]
    assert near.operations == 5


def test_what_is_near() -> None:
    tree = tree_of(*nested())
    assert neighbourhood(tree, "while/body/while/call/Sin", 0) == {
        "while", "while/body/while/call", "while/body/while/call/Sin",
    }  # fmt: skip
    assert {"while/body/while/call/x", "while/body/i"} <= neighbourhood(tree, "while/body/while/call/Sin", 2)
    assert "Neg" not in neighbourhood(tree, "while/body/while/call/Sin", 2)


def test_finding_an_operation() -> None:
    names = ["a/Log", "b/Log", "Exp", "c/Sin"]
    assert find_operation(names, "Exp") == "Exp"
    assert find_operation(names, "Sin") == "c/Sin"
    with pytest.raises(UsageError, match=r"^2 operations are named 'Log'; choose one of a/Log, b/Log$"):
        find_operation(names, "Log")
    with pytest.raises(UsageError, match=r"^no operation 'Expp' in the part that is shown; did you mean 'Exp'\? "):
        find_operation(names, "Expp")
