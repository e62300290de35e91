"""An operation without a stack of its own is told by the call through which it ran."""

from __future__ import annotations

from tensordbg.analysis.why import why
from tensordbg.model import NONE, TensorRef
from tests.analysis.builder import Graph, TraceBuilder, inf


def loaded(trace: TraceBuilder, stack: dict[str, int]) -> Graph:
    """A function that calls another, whose logarithm has the stack given."""
    inner = trace.function("inner")
    x = inner.argument("x")
    log = inner.op("Log", x, **stack)
    inner.returns(log)
    outer = trace.function("outer")
    (result,) = outer.call(inner, outer.argument("y"))
    outer.returns(result)
    return outer


def line_of_origin(stack: dict[str, int], call: dict[str, int]) -> int | None:
    trace = TraceBuilder()
    outer = loaded(trace, stack)
    next(site for site in trace.sites if site["call"]).update(call)
    called_at = trace.site(NONE, "outer", "PartitionedCall", fields={"line": 30})
    run = trace.run(outer)
    trace.executions[-1]["site"] = called_at
    log = next(site["site"] for site in trace.sites if site["op_type"] == "Log")
    run.event(TensorRef(log, 0), -inf, path="PartitionedCall")
    source = why(trace).origins[0].source
    return None if source is None else source.line


def test_its_own_line_comes_first() -> None:
    assert line_of_origin({"line": 10}, {}) == 10


def test_then_that_of_the_call_in_the_function_around_it() -> None:
    call_line = line_of_origin({"stack": NONE}, {})
    assert call_line not in (None, 10, 30)


def test_then_that_of_the_call_from_python() -> None:
    assert line_of_origin({"stack": NONE}, {"stack": NONE}) == 30
