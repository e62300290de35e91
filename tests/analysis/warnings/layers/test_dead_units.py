"""Dead units, by the gradient of the bias and by the activation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tensordbg.analysis.warnings.layers.dead_units import dead_units
from tests.analysis.warnings.network import Given, network, studied


def with_dead(count: Callable[[int], int], zeros: bool = True) -> list[str]:
    """The explanations for a layer of 20 units, so many of which have no gradient in each step."""

    def gradient(step: int) -> list[float]:
        return [0.0] * count(step) + [1.0] * (20 - count(step))

    def relu(step: int) -> list[list[float]]:
        return [gradient(step)] * 8 if zeros else [[1.0] * 20] * 8

    given = {"gradient_tape/BiasAdd/BiasAddGrad": gradient, "Relu": relu}
    return [each.explanation for each in dead_units(studied(network(given, units=20)))]


def test_a_layer_that_is_zero_throughout() -> None:
    seen = studied(network({"Relu": lambda step: np.zeros((8, 5)) if step >= 12 else np.ones((8, 5))}))
    (finding,) = dead_units(seen)
    assert finding.explanation == ("All of Relu:0 is zero for every input, since step 12: it can not learn any more.")
    assert finding.evidence == {"steps": 18, "since_step": 12, "share": 1.0, "zeros": 40}


def test_units_that_died_in_the_course_of_training() -> None:
    (explanation,) = with_dead(lambda step: 3 if step >= 8 else 0)
    assert explanation == (
        "3 of the 20 units of Relu:0 (15 %) get a gradient of exactly zero in every step, as a unit does that is zero "
        "for every input, since step 8: they can not learn any more."
    )


@pytest.mark.parametrize(
    "count",
    [
        lambda _: 7,  # dead from the beginning, as some are in every layer
        lambda step: min(step // 4, 4),  # one after the other, as training goes on
        lambda step: 8 + step % 4,  # not the same ones
        lambda step: 5 if step < 20 else 0,
        lambda _: 0,
    ],
)
def test_no_trouble(count: Callable[[int], int]) -> None:
    assert with_dead(count) == []


def test_many_that_were_dead_from_the_beginning() -> None:
    assert len(with_dead(lambda _: 8)) == 1


def test_where_the_loss_falls_those_that_live_are_enough() -> None:
    def given(loss: Callable[[int], float]) -> Given:
        gradient = [0.0] * 12 + [1.0] * 8
        return {"gradient_tape/BiasAdd/BiasAddGrad": lambda _: gradient, "Relu": lambda _: [gradient] * 8, "loss": loss}

    assert dead_units(studied(network(given(lambda step: 2.0 * 0.8**step), units=20))) == []
    assert len(dead_units(studied(network(given(lambda step: 2.0 + step % 2), units=20)))) == 1


def test_what_a_hinge_loss_has_reached_is_no_layer() -> None:
    zero: Given = {"Relu": lambda _: np.zeros((8, 5)), "loss": lambda _: 0.0}
    assert dead_units(studied(network(zero))) == []


def test_a_gradient_that_was_lost_behind_the_layer_tells_nothing_of_its_units() -> None:
    assert with_dead(lambda _: 20, zeros=False) == []
    assert with_dead(lambda step: 3 if step >= 8 else 0, zeros=False) == []
