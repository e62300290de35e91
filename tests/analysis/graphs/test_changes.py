"""What became of each operation; tests/e2e/test_graph.py has graphs that TensorFlow made."""

from __future__ import annotations

from tensordbg.analysis.graphs.changes import Comparison, Fate, GraphChange
from tests.analysis.builder import TraceBuilder
from tests.analysis.graphs.sample_graphs import GPU, nested, node, tree_of


def of(fate: Fate, comparison: Comparison) -> dict[tuple[str, ...], str]:
    return {change.operations: change.reason for change in comparison.changes if change.fate is fate}


def layer() -> Comparison:
    """A matrix product, a bias and a ReLU; a constant product; a second, equal square root; something unused."""
    trace = TraceBuilder()
    graph = trace.function("f")
    x, w = graph.argument("x"), graph.argument("w")
    product = graph.op("MatMul", x, w)
    through = graph.op("Identity", product, name="through")
    relu = graph.op("Relu", graph.op("BiasAdd", through, w, name="bias"))
    two = graph.op("Const", name="two", attributes='{"value": 2}')
    four = graph.op("Mul", two, two, name="four")
    eight = graph.op("Mul", four, two, name="eight")
    roots = [graph.op("Sqrt", relu, name=name) for name in ("root", "again")]
    graph.op("Exp", relu, name="unused")
    total = graph.op("AddV2", graph.op("AddV2", *roots, name="sum"), eight, name="total")
    graph.outputs.append(graph.op("Identity", total, name="result"))
    running = [
        node("Relu", "_FusedMatMul", "x", "w", "w", parts=("BiasAdd", "Relu")),
        node("eight", "Const"),
        node("root", "_MklSqrt", "Relu", device=GPU),
        node("ArithmeticOptimizer/AddOpsRewrite_total", "AddN", "root", "root", "eight"),
        node("result", "Identity", "ArithmeticOptimizer/AddOpsRewrite_total"),
    ]
    return Comparison.of(tree_of(trace, graph), running)


def test_fused() -> None:
    comparison = layer()
    (change,) = comparison.fused
    assert change == GraphChange(
        Fate.FUSED, ("MatMul", "bias", "Relu"), "_FusedMatMul Relu", "run as one _FusedMatMul (BiasAdd, Relu)"
    )
    assert comparison.made_from["Relu"] == ("MatMul", "bias", "Relu")


def test_folded_and_replaced() -> None:
    comparison = layer()
    assert of(Fate.FOLDED, comparison) == {("eight",): "Mul was computed beforehand"}
    assert of(Fate.REPLACED, comparison) == {
        ("root",): "Sqrt runs as _MklSqrt",
        ("sum", "total"): "arithmetic was simplified: runs as AddN",
    }
    assert comparison.made_from["ArithmeticOptimizer/AddOpsRewrite_total"] == ("sum", "total")


def test_removed() -> None:
    assert of(Fate.REMOVED, layer()) == {
        ("through",): "it only passes its input on",
        ("two",): "a constant: its value went into eight",
        ("four",): "a constant: its value went into eight",
        ("again",): "the same as root, computed once",
        ("unused",): "nothing needs what it computes",
    }


def test_moved() -> None:
    assert of(Fate.MOVED, layer())["root",] == "runs on GPU:0, all around it on CPU:0"


def test_inlined_calls_are_not_removed() -> None:
    trace, outer = nested()
    running = [
        node("while/body/_7/while/call/Sin", "Sin"),
        node("while/cond/_6/Less", "Less"),
        node("cond/then/_9/Exp", "Exp"),
        node("Neg", "Neg"),
    ]
    comparison = Comparison.of(tree_of(trace, outer), running)
    assert [change.operations for change in comparison.changes] == [("cond/else/Identity",)]
    assert comparison.made_from["while/body/while/call/Sin"] == ("while/body/while/call/Sin",)


def test_a_constant_under_another_name_is_not_called_folded() -> None:
    trace = TraceBuilder()
    graph = trace.function("f")
    graph.outputs.append(graph.op("AddV2", graph.argument("x"), graph.op("Const", name="c"), name="add"))
    comparison = Comparison.of(tree_of(trace, graph), [node("add", "Const")])
    assert of(Fate.REPLACED, comparison) == {("add",): "AddV2 runs as Const"}


def test_several_operations_on_one_tensor() -> None:
    trace = TraceBuilder()
    graph = trace.function("f")
    relu = graph.op("Relu", graph.argument("x"))
    graph.outputs.append(graph.op("Log", relu))
    running = [node("Log/unary_ops_composition", "_UnaryOpsComposition", "x")]
    (change,) = Comparison.of(tree_of(trace, graph), running).changes
    assert (change.fate, change.operations) == (Fate.FUSED, ("Relu", "Log"))
