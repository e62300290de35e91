"""Activations at their limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensordbg.analysis.warnings.layers.saturation import before_saturation, saturated_activations, saturated_outputs
from tensordbg.analysis.warnings.study.study import Study
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import series_named, studied


def activation(op_type: str, values: Callable[[int], Any], loss: Callable[[int], float], weights: bool = True) -> Study:
    """A layer with an activation, another with weights after it or not, and a loss."""
    trace = TraceBuilder()
    w = trace.variable("w", "[2]", trainable=True)
    f = trace.function("train_step")
    read = f.read(w)
    active = f.op(op_type, f.op("MatMul", read, name="before"))
    result = f.op("MatMul" if weights else "Neg", active, name="after")
    total = f.op("Mean", result, name="loss")
    slope = f.op("Mul", active, total, name="gradient_tape/loss/Mul")
    f.write(w, slope, op_type="AssignSubVariableOp")
    for step in range(20):
        run = trace.run(f)
        run.event(read, [1.0, 2.0])
        run.event(active, values(step))
        run.event(total, loss(step))
        run.event(slope, [1.0, 2.0])
    return studied(trace)


def steady(step: int) -> float:
    return 2.0 + step % 2


@pytest.mark.parametrize(
    ("op_type", "values"),
    [
        ("Tanh", [1.0, -1.0, 0.9999, -0.9999]),
        ("Sigmoid", [1.0, 0.0, 0.9999, 1e-9]),
        ("Relu6", [6.0, 6.0, 0.0, 5.999]),
        ("Softmax", [[1.0, 0.0, 0.0], [0.0, 0.9999, 0.0001]]),
    ],
)
def test_at_the_limits(op_type: str, values: Any) -> None:
    seen = activation(op_type, lambda _: values, steady)
    (finding,) = saturated_activations(seen)
    assert seen.site(finding.series).op_type == op_type
    assert finding.evidence["steps"] == 20
    assert 0 <= finding.evidence["slope_left"] < 0.03  # type: ignore[operator]
    assert before_saturation(seen)[seen.port[series_named(seen, "ReadVariableOp")]]


@pytest.mark.parametrize(
    ("op_type", "values"),
    [
        ("Tanh", [1.0, -1.0, 0.5, -0.9999]),
        ("Sigmoid", [0.5, 0.0, 0.9999, 1.0]),
        ("Sigmoid", [0.0, 0.0, 0.0, 0.0]),
        ("Relu6", [0.0, 0.0, 0.0, 0.0]),
        ("Softmax", [[0.7, 0.2, 0.1], [0.0, 1.0, 0.0]]),
        ("Softmax", [[1.0], [1.0]]),
        ("Relu", [1.0, 0.0, 1.0, 0.0]),
    ],
)
def test_room_is_left(op_type: str, values: Any) -> None:
    assert saturated_activations(activation(op_type, lambda _: values, steady)) == []


def test_the_output_may_be_sure_of_itself_once_the_loss_fell() -> None:
    sure = np.array([1.0, 0.0, 1.0, 0.0])
    assert saturated_activations(activation("Sigmoid", lambda _: sure, lambda step: 0.7**step, weights=False)) == []
    assert saturated_outputs(activation("Sigmoid", lambda _: sure, lambda step: 0.7**step, weights=False)) == []
    assert saturated_outputs(activation("Sigmoid", lambda _: sure, lambda _: 0.01, weights=False)) == []
    (finding,) = saturated_outputs(activation("Sigmoid", lambda _: sure, steady, weights=False))
    assert finding.kind == "saturated_output"
    assert "while loss:0, 3 at first, is still 2.5" in finding.explanation


def test_inside_of_a_model_that_has_learned_it_does_no_harm() -> None:
    sure = np.array([1.0, 0.0, 1.0, 0.0])
    assert saturated_activations(activation("Sigmoid", lambda _: sure, lambda step: 0.7**step)) == []
    assert saturated_outputs(activation("Sigmoid", lambda _: sure, steady)) == []


def test_for_a_few_steps_only() -> None:
    seen = activation("Tanh", lambda step: [1.0, -1.0] if step > 16 else [0.1, 0.2], steady)
    assert saturated_activations(seen) == []
    assert not before_saturation(seen).any()
