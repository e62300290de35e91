"""Losses of logits that are given probabilities."""

from __future__ import annotations

import pytest

from tensordbg.analysis.warnings.losses.activation_twice import activations_twice
from tensordbg.analysis.warnings.study.study import Finding
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def findings(activation: str, loss: str, between: str = "", steps: int = 10, label: bool = False) -> list[Finding]:
    """A loss of what an activation gives; or, with `label`, which takes that as its labels."""
    trace = TraceBuilder()
    f = trace.function("train_step")
    read, y = f.read(trace.variable("w", "[2]", trainable=True)), f.argument("y")
    active = f.op(activation, read)
    logits = f.op(between, active) if between else active
    made = [read, active]
    if loss == "Log1p":
        zero = f.op("Neg", logits)
        chosen = f.op("SelectV2", y, zero, logits)
        made += [zero, chosen, exponential := f.op("Exp", chosen)]
        cost = f.op("Log1p", exponential)
    else:
        cost = f.op(loss, *((read, logits) if label else (logits, y)))
    f.write(trace.variables[0]["variable"], f.op("Mul", cost, name="gradient_tape/Mul"), op_type="AssignSubVariableOp")
    for step in range(steps):
        run = trace.run(f)
        for ref in (y, *made, cost):
            run.event(ref, [0.1 + step / 100, 0.7])
    return activations_twice(studied(trace))


@pytest.mark.parametrize(
    ("activation", "loss", "between"),
    [
        ("Softmax", "SparseSoftmaxCrossEntropyWithLogits", ""),
        ("Softmax", "SoftmaxCrossEntropyWithLogits", "Reshape"),
        ("Sigmoid", "SoftmaxCrossEntropyWithLogits", ""),
        ("Sigmoid", "Log1p", ""),
        ("Sigmoid", "Log1p", "Cast"),
    ],
)
def test_probabilities_as_logits(activation: str, loss: str, between: str) -> None:
    (finding,) = findings(activation, loss, between)
    assert f"the {activation.lower()} {activation}:0: numbers from 0 to 1" in finding.explanation
    assert finding.evidence == {"steps": 10, "activation": activation.lower()}


def test_other_losses() -> None:
    assert findings("Tanh", "SoftmaxCrossEntropyWithLogits") == []
    assert findings("Softmax", "Mean") == []
    assert findings("Softmax", "Log1p") == []
    assert findings("Softmax", "SoftmaxCrossEntropyWithLogits", "Log") == []
    assert findings("Softmax", "SoftmaxCrossEntropyWithLogits", steps=3) == []
    assert findings("Softmax", "SoftmaxCrossEntropyWithLogits", label=True) == []


@pytest.mark.parametrize(("labels", "told"), [("Input", 1), ("OneHot", 1), ("Softmax", 0)])
def test_eagerly_probabilities_may_be_the_labels(labels: str, told: int) -> None:
    """A student learns from a softmax of its teacher."""
    trace = TraceBuilder()
    sites = {name: trace.site(NONE, name, name) for name in ("MatMul", "Softmax", "SoftmaxCrossEntropyWithLogits")}
    label = trace.site(NONE, labels, labels)
    for step in range(10):
        first = trace.eager("MatMul", values=[step, 2.0], site=sites["MatMul"])
        soft = trace.eager("Softmax", trace.output(first), values=[0.4, 0.6], site=sites["Softmax"])
        right = trace.eager(labels, values=[0.0, 1.0], site=label)
        logits = soft if told else first
        given = (trace.output(logits), trace.output(soft if not told else right))
        trace.eager("CE", *given, values=[0.3, 0.4], site=sites["SoftmaxCrossEntropyWithLogits"])
    assert len(activations_twice(studied(trace))) == told
