"""Losses that rise from the first step on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tensordbg.analysis.warnings.losses.rising_loss import rising_losses
from tests.analysis.warnings.network import network, studied


def test_it_rises_in_nearly_every_step() -> None:
    (finding,) = rising_losses(studied(network({"loss": lambda step: 1.0 + 0.1 * step + 0.05 * (step % 2)})))
    assert finding.evidence["first"] == 1.0
    assert finding.explanation.startswith("loss:0 rises from the first step on: from 1 to 3.95 over 30 steps")


def test_one_below_zero() -> None:
    assert len(rising_losses(studied(network({"loss": lambda step: -4.0 + 0.1 * step})))) == 1


@pytest.mark.parametrize(
    "loss",
    [
        lambda step: 2.0,
        lambda step: 0.0,
        lambda step: 2.0 - 0.05 * step,
        lambda step: 1.0 + abs(step - 12) * 0.2,  # it falls at first
        lambda step: 1.0 + 0.005 * step,  # hardly
        lambda step: 1.0 + step % 5,  # by chance
    ],
)
def test_what_goes_otherwise_is_no_trouble(loss: Callable[[int], float]) -> None:
    assert rising_losses(studied(network({"loss": loss}))) == []


def test_of_harder_examples_it_may_rise() -> None:
    harder = {"loss": lambda step: 1.0 + 0.1 * step, "x": lambda step: np.full((8, 4), 1.0 + 0.1 * step)}
    assert rising_losses(studied(network(harder))) == []
