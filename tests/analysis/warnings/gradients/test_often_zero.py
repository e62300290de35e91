"""Gradients that are zero in most steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tensordbg.analysis.warnings.gradients.often_zero import often_zero_gradients
from tensordbg.analysis.warnings.study.study import Finding
from tests.analysis.warnings.network import Given, network, studied

NAMES = {
    "gradient_tape/ReluGrad": (8, 5),
    "gradient_tape/MatMul/MatMul": (4, 5),
    "gradient_tape/BiasAdd/BiasAddGrad": (5,),
}


def steady(step: int) -> float:
    return 1.5 + step % 2


def findings(is_zero: Callable[[int], bool], loss: Callable[[int], float] = steady) -> list[Finding]:
    given: Given = {
        name: lambda step, shape=shape: np.zeros(shape) if is_zero(step) else np.ones(shape)
        for name, shape in NAMES.items()
    }
    return often_zero_gradients(studied(network({**given, "loss": loss})))


def test_all_gradients_in_most_steps() -> None:
    (finding,) = findings(lambda step: step % 3 > 0)
    assert finding.also == ("kernel", "bias")
    assert finding.evidence["share"] == 2 / 3
    assert "from gradient_tape/ReluGrad:0 on, nothing of it comes through" in finding.explanation


def test_now_and_then_is_no_trouble() -> None:
    assert findings(lambda step: step % 3 == 0) == []


def test_where_the_loss_is_zero_nothing_was_left_to_learn() -> None:
    assert findings(lambda step: step % 3 > 0, lambda step: float(step % 3 == 0)) == []


def test_always_is_another_trouble() -> None:
    assert findings(lambda _: True) == []


def test_of_one_variable_it_must_be_nearly_always_and_without_a_slope() -> None:
    def told(period: int, slope: Callable[[int], float]) -> list[tuple[str, ...]]:
        given: Given = {
            "gradient_tape/MatMul/MatMul": lambda step: np.full((4, 5), float(step % period == 0)),
            "gradient_tape/ReluGrad": lambda step: np.full((8, 5), slope(step)),
        }
        return [finding.also for finding in often_zero_gradients(studied(network(given)))]

    assert told(10, lambda step: float(step % 10 == 0)) == [("kernel",)]
    assert told(3, lambda step: float(step % 3 == 0)) == []
    assert told(10, lambda _: 1.0) == []
