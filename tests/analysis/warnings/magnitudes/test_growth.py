"""Values that grow by orders of magnitude, and those that merely grow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensordbg.analysis.warnings.magnitudes.growth import growing_values
from tests.analysis.warnings.network import network, studied

Values = Callable[[int], Any]


def test_the_variable_is_named_for_all_that_follows() -> None:
    def grown(*shape: int) -> Values:
        return lambda step: np.full(shape, 1.6**step)

    trace = network({"kernel": grown(4, 5), "MatMul": grown(8, 5), "Relu": grown(8, 5), "loss": grown()})
    (finding,) = growing_values(studied(trace))
    assert (finding.kind, finding.variable) == ("growing_values", 0)
    assert finding.also == ("MatMul:0", "Relu:0", "loss:0")
    assert finding.explanation.startswith("The variable kernel grew from 1.")
    assert finding.evidence["steps"] == 30
    assert finding.evidence["end"] > 1000 * finding.evidence["begin"]  # type: ignore[operator]


@pytest.mark.parametrize(("factor", "told"), [(-1.0, True), (1.0, False)])
def test_a_loss_that_falls_without_end_does_what_it_is_asked(factor: float, told: bool) -> None:
    kernel: Values = lambda step: np.full((4, 5), 1.6**step)  # noqa: E731
    (finding,) = growing_values(studied(network({"kernel": kernel, "loss": lambda step: factor * 1.6**step})))
    asked = "Training does what it is asked: the loss loss:0 falls, from -1 to -8.308e5, and nothing bounds it"
    assert (asked in finding.explanation) == told
    assert ("Look at the sign of the loss" in finding.suggestion) == told


@pytest.mark.parametrize(
    "values",
    [
        lambda step: 1.0 + step,  # a counter
        lambda step: 1e-6 * 2.0**step if step < 20 else 1.0,  # a bias that begins near zero
        lambda step: 3.0 if step < 29 else 1e9,  # one outlier
        lambda step: 100.0 * 0.5**step,
    ],
)
def test_what_grows_otherwise_is_no_trouble(values: Values) -> None:
    assert growing_values(studied(network({"kernel": lambda step: np.full((4, 5), values(step))}))) == []


def test_an_optimizers_own_numbers_do_not_count() -> None:
    assert growing_values(studied(network({"rate": lambda step: 10.0**step}))) == []
