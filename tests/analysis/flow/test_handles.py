"""Variables that functions are handed as arguments: which of them a read or a write means."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.flow.handles import Handles
from tensordbg.analysis.why import why
from tensordbg.model import FIRST_VARIABLE_INPUT, TensorRef
from tests.analysis.builder import Graph, TraceBuilder, inf, located


def handle_of(variable: int) -> int:
    """A variable's handle as an input of an execution."""
    return FIRST_VARIABLE_INPUT - variable


def reading(trace: TraceBuilder, name: str = "use") -> tuple[Graph, TensorRef]:
    """A function that reads the variable it is given."""
    graph = trace.function(name)
    read = graph.op("ReadVariableOp", graph.argument("v", "resource"))
    graph.returns(read)
    return graph, read


def test_each_execution_has_its_own() -> None:
    trace = TraceBuilder()
    a, b = trace.variable("a"), trace.variable("b")
    use, read = reading(trace)
    for variable in (b, a, b):
        trace.run(use, handle_of(variable)).event(read, [1.0])
    values = located(trace)
    (site,) = Handles(values).open_sites()
    assert site.site == read.site
    assert Handles(values).touched(site, np.arange(3)).tolist() == [[b, a, b]]


def test_an_argument_is_followed_through_calls_and_branches() -> None:
    trace = TraceBuilder()
    a = trace.variable("a")
    use, read = reading(trace)
    branch = trace.function("branch")
    handed = branch.argument("v", "resource")
    branch.returns(*branch.call(use, branch.op("Identity", handed, dtype="resource")))
    outer = trace.function("outer")
    condition, variable = outer.argument("c", "bool"), outer.argument("v", "resource")
    outer.returns(*outer.cond(branch, branch, condition, variable))
    run = trace.run(outer, -1, handle_of(a))
    run.event(read, [1.0], path="cond/then/_1/PartitionedCall")
    values = located(trace)
    (site,) = Handles(values).open_sites()
    assert Handles(values).touched(site, values.invocation[:1]).tolist() == [[a]]


def test_what_is_not_known_is_said_to_be_unknown() -> None:
    trace = TraceBuilder()
    use, read = reading(trace)
    trace.run(use, -1).event(read, [1.0])
    trace.run(use).event(read, [1.0])
    values = located(trace)
    (site,) = Handles(values).open_sites()
    assert Handles(values).touched(site, np.arange(2)).tolist() == [[-1, -1]]


def test_a_write_in_one_function_is_what_another_reads() -> None:
    trace = TraceBuilder()
    a, b = trace.variable("a"), trace.variable("b")
    spoil = trace.function("spoil")
    handle, x = spoil.argument("v", "resource"), spoil.argument("x")
    log = spoil.op("Log", x)
    spoil.op("AssignVariableOp", handle, log, dtypes=[])
    use, read = reading(trace)
    trace.run(use, handle_of(a)).event(read, [1.0])
    trace.run(spoil, handle_of(a), -1).event(log, [-inf])
    trace.run(use, handle_of(b)).event(read, [1.0])
    trace.run(use, handle_of(a)).event(read, [-inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated, origin.reaches) == ("Log:0", 1, ("variable", "output"))


def test_a_bad_variable_bears_its_name() -> None:
    trace = TraceBuilder()
    trace.variable("a")
    b = trace.variable("b")
    use, read = reading(trace)
    trace.run(use, handle_of(b)).event(read, [inf])
    (origin,) = why(trace).origins
    assert origin.cause == "bad_variable"
    assert origin.explanation.startswith("The variable b held +inf")
