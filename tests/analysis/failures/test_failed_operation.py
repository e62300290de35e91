"""An operation that failed in a loop is told with what it was given in the turn that failed."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.why import why
from tensordbg.trace.program.facts import Failure
from tests.analysis.builder import TraceBuilder


def test_of_what_a_loop_hands_on_the_turn_that_failed_is_told() -> None:
    trace = TraceBuilder()
    more, body, f = trace.function("cond"), trace.function("body"), trace.function("f")
    more.returns(more.op("Less", more.argument("i", "int32"), dtype="bool"))
    i = body.argument("i", "int32")
    value = body.op("Mul", i)
    element = body.op("TensorListSetItem", i, value, dtype="variant")
    body.returns(body.op("AddV2", i, dtype="int32"))
    f.returns(*f.loop(more, body, f.argument("start", "int32")))
    run = trace.run(f)
    for turn in range(6):  # the turns 4 and 5 ran ahead
        run.event(i, turn, path="while/body", frame=8, iteration=turn)
        run.event(value, 10 * turn, path="while/body", frame=8, iteration=turn)
    message = "Trying to modify element 3 in a list with 3 elements."
    trace.facts = replace(trace.facts, failure=Failure("InvalidArgumentError", message, element.site, run.number))
    (failure,) = why(trace).failures
    assert [each.recorded and each.recorded.health.max for each in failure.inputs] == [3, 30]
