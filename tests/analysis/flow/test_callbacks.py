"""What a Python function computes lies between the input and the output of the operation that calls it."""

from __future__ import annotations

from tensordbg.analysis.why import why
from tests.analysis.builder import Run, TraceBuilder, inf, names, nan


def calling(trace: TraceBuilder) -> tuple[Run, object, object, object]:
    """A function that gives its argument to a Python function, and uses the result."""
    step = trace.function("step")
    x = step.argument("x")
    given = step.op("Mul", x)
    result = step.op("EagerPyFunc", given)
    total = step.op("Sum", result)
    step.returns(total)
    return trace.run(step), given, result, total


def test_a_bad_result_comes_from_what_the_python_function_computed() -> None:
    trace = TraceBuilder()
    run, given, result, total = calling(trace)
    run.event(given, 0.0)
    inside = trace.eager("Input", values=0.0)
    trace.eager("Log", trace.output(inside), values=-inf)
    run.event(result, -inf)
    run.event(total, -inf)
    found = why(trace)
    assert names(found) == ["Log:0"]
    assert found.origins[0].consequential


def test_a_bad_value_that_the_python_function_was_given_comes_from_the_graph() -> None:
    trace = TraceBuilder()
    run, given, result, total = calling(trace)
    run.event(given, nan)
    inside = trace.eager("Input", values=nan)
    trace.eager("Sin", trace.output(inside), values=nan)
    run.event(result, nan)
    run.event(total, nan)
    assert names(why(trace)) == ["Mul:0"]


def test_what_was_computed_before_has_nothing_to_do_with_it() -> None:
    trace = TraceBuilder()
    trace.eager("Log", trace.output(trace.eager("Input", values=0.0)), values=-inf)
    run, given, result, total = calling(trace)
    run.event(given, 0.0)
    run.event(result, -inf)
    run.event(total, -inf)
    assert set(names(why(trace))) == {"Log:0", "EagerPyFunc:0"}
