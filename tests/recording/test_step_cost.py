from __future__ import annotations

import random

import pytest

from tensordbg.recording.step_cost import StepCost, middle, spread

PLAIN = [0.01] * 8


def test_a_guess_stands_until_something_is_measured() -> None:
    cost = StepCost(0.25)
    assert (cost.ratio, cost.measured) == (0.25, 0)
    assert cost.take(0.015, PLAIN) == pytest.approx(0.005)
    assert (cost.ratio, cost.measured) == (pytest.approx(0.5), 1)


def test_what_held_up_one_step_is_not_its_cost() -> None:
    chance, cost = random.Random(1), StepCost(1.0)
    for number in range(64):
        cost.take(0.015 * chance.uniform(0.95, 1.05) + (1.0 if number == 40 else 0.0), PLAIN)
    assert cost.ratio == pytest.approx(0.5, rel=0.15)


def test_no_time_costs_nothing() -> None:
    assert StepCost(1.0).take(0.1, [0.0] * 8) == 0.0


def test_the_middle_is_without_what_lies_far_off() -> None:
    assert middle([1.0] * 7 + [9.0]) == 1.0
    assert spread([1.0, 3.0]) == 1.0
