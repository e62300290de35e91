"""Losses that stay exactly the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tensordbg.analysis.warnings.losses.constant_loss import constant_losses
from tests.analysis.warnings.network import network, series_named, studied


def test_in_all_steps() -> None:
    seen = studied(network({"loss": lambda _: 0.75}))
    (finding,) = constant_losses(seen)
    assert finding.series == series_named(seen, "loss")
    assert finding.evidence == {"steps": 30, "loss": 0.75}
    assert finding.explanation.startswith("loss:0 is exactly 0.75 in all 30 steps, although gradients are computed")


def test_in_all_but_the_first() -> None:
    (finding,) = constant_losses(studied(network({"loss": lambda step: 1.0 if step else 1.5})))
    assert "in the last 29 steps" in finding.explanation


@pytest.mark.parametrize(
    "loss",
    [
        lambda step: 0.75 if step != 17 else 0.7500001,
        lambda step: 0.0,  # nothing is left to learn
        lambda step: 0.1 if step > 2 else 1.0,  # solved in a few steps
        lambda step: 1.0 if step > 15 else 2.0,
    ],
)
def test_what_changes_is_no_trouble(loss: Callable[[int], float]) -> None:
    assert constant_losses(studied(network({"loss": loss}))) == []


def test_a_few_steps_tell_nothing() -> None:
    assert constant_losses(studied(network({"loss": lambda _: 0.75}, steps=9))) == []
