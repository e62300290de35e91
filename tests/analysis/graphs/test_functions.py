from __future__ import annotations

from tensordbg.analysis.graphs.functions import Parameter, list_functions
from tests.analysis.alerts.traces import tensor, traced, value
from tests.analysis.builder import FILE, TraceBuilder


def test_traces_of_one_function() -> None:
    trace = TraceBuilder(["", "def train_step(x, n):"])
    first = traced(trace, {"x": tensor(), "n": value(1)})
    second = traced(trace, {"x": tensor(), "n": value(2)})
    trace.function("inner")
    for graph in (first, first, second, first):
        trace.run(graph)
    (function,) = list_functions(trace)
    assert function.name == "train_step"
    assert function.definition is not None
    assert (function.definition.line, function.definition.text) == (2, "def train_step(x, n):")
    assert function.calls == 4
    assert [(each.calls, each.step) for each in function.traces] == [(3, 0), (1, 2)]
    assert function.traces[0].parameters == (
        Parameter("x", "tensor", "float32[2]", "float32", "[2]"),
        Parameter("n", "value", "1"),
    )
    assert function.traces[1].source is not None
    assert (function.traces[1].source.file, function.traces[1].source.line) == (FILE, 9)


def test_passes_for_gradients_are_no_traces() -> None:
    trace = TraceBuilder()
    plain = traced(trace, {"x": tensor()})
    trace.run(trace.forward(plain))
    trace.run(plain)
    (function,) = list_functions(trace)
    assert [each.calls for each in function.traces] == [2]


def test_what_was_never_called() -> None:
    trace = TraceBuilder()
    traced(trace, {"x": tensor()})
    (function,) = list_functions(trace)
    assert [(each.calls, each.step) for each in function.traces] == [(0, None)]


def test_function_whose_tracing_is_not_known() -> None:
    trace = TraceBuilder()
    trace.run(trace.function("loss"))
    (function,) = list_functions(trace)
    assert (function.name, function.definition, function.traces[0].parameters) == ("loss", None, ())
