"""What is taken out of a queue, or its like, goes back to what was put in."""

from __future__ import annotations

import pytest

from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.flow.stores import puts_into, takes_out_of
from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, names


def two_queues(taken_from: str) -> WhyResult:
    """An infinity is put into the first of two queues; another comes out of one of them."""
    trace = TraceBuilder()
    fill, step = trace.function("fill"), trace.function("step")
    given = fill.argument("x")
    quotient = fill.op("RealDiv", fill.op("Const"), given)
    fill.op("QueueEnqueueV2", fill.op("FIFOQueueV2", name="first"), fill.op("Identity", quotient))
    fill.op("QueueEnqueueV2", fill.op("FIFOQueueV2", name="second"), given)
    taken = step.op("QueueDequeueV2", step.op("FIFOQueueV2", name=taken_from))
    step.returns(taken)
    filling = trace.run(fill)
    filling.event(given, 0.0)
    filling.event(quotient, inf)
    trace.run(step).event(taken, inf)
    return why(trace)


def test_what_comes_out_was_put_in() -> None:
    result = two_queues("first")
    assert names(result) == ["RealDiv:0"]
    assert result.origins[0].consequential


def test_what_comes_out_of_another_was_not() -> None:
    assert set(names(two_queues("second"))) == {"RealDiv:0", "QueueDequeueV2:0"}


def test_a_tensor_array_is_followed_into_a_loop() -> None:
    trace = TraceBuilder()
    step, body, condition = (trace.function(name) for name in ("step", "body", "condition"))
    condition.argument("handle", dtype="resource")
    handle = body.argument("handle", dtype="resource")
    quotient = body.op("RealDiv", body.op("Const"), body.op("Const"))
    body.op("TensorArrayWriteV3", body.op("Enter", handle), body.op("Const"), quotient)
    body.returns(handle)
    array = step.op("TensorArrayV3", dtype="resource")
    step.loop(condition, body, array)
    taken = step.op("TensorArrayGatherV3", array, step.op("Const"))
    step.returns(taken)
    run = trace.run(step)
    run.event(quotient, inf, path="while/body/_1", frame=1, iteration=0)
    run.event(taken, [1.0, inf])
    assert names(why(trace)) == ["RealDiv:0"]


@pytest.mark.parametrize("op_type", ["QueueEnqueueV2", "Stage", "TensorArrayWriteV3", "LookupTableInsertV2"])
def test_what_is_put_in_can_be_taken_out(op_type: str) -> None:
    taking = {"QueueEnqueueV2": "QueueDequeueV2", "Stage": "Unstage", "TensorArrayWriteV3": "TensorArrayReadV3"}
    assert puts_into(op_type) == takes_out_of(taking.get(op_type, "LookupTableFindV2")) != ""
    assert puts_into("Add") == takes_out_of("Add") == ""
