"""Raises of a learning rate before something grew, and warm-ups, which are none."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from tensordbg.analysis.program.learning_rates import changes, raised


@pytest.mark.parametrize(
    ("rate", "grew", "words"),
    [
        (lambda step: 0.001 if step < 7 else 10.0, 7, "from 0.001 to 10 in step 7"),
        (lambda step: 0.001 if step < 7 else 10.0, 10, "from 0.001 to 10 in step 7"),
        (lambda step: 1e-6 * 1.5**step, 30, "from 1e-06 to 0.1918 over steps 0 to 30"),  # as to find the best rate
    ],
)
def test_raises(rate: Callable[[int], float], grew: int, words: str) -> None:
    found = raised(changes((step, rate(step)) for step in range(40)), grew)
    assert found is not None
    assert found.words == words


@pytest.mark.parametrize("grew", [1, 5, 30, 60])
@pytest.mark.parametrize(
    "rate",
    [
        lambda step: 0.1,
        lambda step: 0.1 * 0.9**step,
        lambda step: 0.01 * min(step + 1, 40),  # warm-ups
        lambda step: 0.01 * min(step, 40),
        lambda step: 0.01 * min(step + 1, 40) ** 2,
        lambda step: 0.1 * (1 - math.cos(math.pi * min(step, 50) / 50)),
        lambda step: 0.001 if step < 7 else 10.0 if step < 20 else 0.001,  # long before
        lambda step: 0.001 if step < 7 else 0.002,
        lambda step: math.nan,
    ],
)
def test_what_is_no_raise(rate: Callable[[int], float], grew: int) -> None:
    assert raised(changes((step, rate(step)) for step in range(80)), grew) is None
