"""What is gathered of an origin: its inputs under the names that they have there, and what made them."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf


@pytest.mark.parametrize("maker", ["Softmax", "Sigmoid"])
def test_made_by_is_seen_through_reshaping_and_calls(maker: str) -> None:
    trace = TraceBuilder()
    loss = trace.function("loss")
    probs = loss.argument("probs")
    flat = loss.op("Reshape", probs)
    log = loss.op("Log", flat)
    loss.returns(log)
    f = trace.function("f")
    x = f.argument("logits")
    made = f.op(maker, x)
    f.returns(*f.call(loss, made))
    run = trace.run(f)
    run.event(x, [-200.0])
    run.event(made, [0.0])
    run.event(flat, [0.0], path="PartitionedCall")
    run.event(log, [-inf], path="PartitionedCall")
    (origin,) = why(trace).origins
    (given,) = origin.inputs
    assert (given.tensor, given.op_type, given.made_by) == ("Reshape:0", "Reshape", ("Reshape", maker))
    assert f"tf.nn.{maker.lower()}_cross_entropy_with_logits" in origin.verdict.suggestion


def test_inputs_of_an_eager_operation() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    f.returns(x)
    run = trace.run(f)
    run.event(x, [0.0])
    one = trace.eager("Input", values=[1.0])
    trace.eager("RealDiv", trace.output(one), trace.output(run), values=[inf])
    (origin,) = why(trace).origins
    assert [given.tensor for given in origin.inputs] == ["Input:0", "Identity:0"]
    assert origin.inputs[1].recorded is not None
    assert origin.inputs[1].recorded.tensor == "x:0"
    assert origin.verdict.cause == "division_by_zero"


def test_an_input_that_was_not_recorded() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    hidden = f.op("Quelle")
    log = f.op("Log", hidden)
    trace.run(f).event(log, [-inf])
    (origin,) = why(trace).origins
    assert origin.inputs[0].tensor == "Quelle:0"
    assert origin.inputs[0].recorded is None
    assert origin.verdict.cause == "log_of_zero"
