from __future__ import annotations

from tensordbg.analysis.program.equality import constant_operations, equal_operations
from tests.analysis.builder import TraceBuilder
from tests.analysis.graphs.sample_graphs import tree_of


def test_equal_operations() -> None:
    trace = TraceBuilder()
    graph = trace.function("f")
    x = graph.argument("x")
    two = graph.op("Const", name="a", attributes='{"value": 2, "dtype": "int32"}')
    again = graph.op("Const", name="b", attributes='{"dtype": "int32", "value": 2}')
    large = [graph.op("Const", name=name, attributes="{}") for name in ("c", "d")]
    for name, other in (("sum", two), ("same", again), ("other", large[0]), ("another", large[1])):
        graph.op("AddV2", x, other, name=name)
    numbers = equal_operations(tree_of(trace, graph))
    assert numbers["a"] == numbers["b"]
    assert numbers["sum"] == numbers["same"]
    assert len({numbers[name] for name in ("c", "d", "sum", "other", "another")}) == 5


def test_notes_make_no_difference() -> None:
    trace = TraceBuilder()
    graph = trace.function("f")
    x = graph.argument("x")
    for name, attributes in (("plain", "{}"), ("noted", '{"differentiated": [0], "python_names": [["y"]]}')):
        graph.op("Log", x, name=name, attributes=attributes)
    numbers = equal_operations(tree_of(trace, graph))
    assert numbers["plain"] == numbers["noted"]


def test_constant_operations() -> None:
    trace = TraceBuilder()
    graph = trace.function("f")
    x, one = graph.argument("x"), graph.op("Const", name="one")
    product = graph.op("Mul", one, one, name="product")
    graph.op("AddV2", product, x, name="sum")
    graph.op("RandomUniform", one, name="drawn")
    graph.read(0, name="read")
    assert constant_operations(tree_of(trace, graph)) == {"one", "product"}
