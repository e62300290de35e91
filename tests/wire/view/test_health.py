from __future__ import annotations

import math

import pytest

from tensordbg.model import Health
from tensordbg.wire.health import health_to_json
from tensordbg.wire.view.health import finite, health_view

HEALTHS = [
    Health(6, negative=2, zero=1, min=-1.5, max=4.0, sum=3.0, sum_squares=20.0),
    Health(3, nan=1, pos_inf=2),
    Health(2, sum=math.inf, sum_squares=math.inf, min=-1e308, max=1e308),
    Health(4, nan=1, unmeasured=("negative", "zero", "positive", "min", "max")),
]


@pytest.mark.parametrize("health", HEALTHS)
def test_says_what_the_command_line_says(health: Health) -> None:
    assert vars(health_view(health)) == health_to_json(health)


def test_finite() -> None:
    assert [finite(value) for value in (1.5, math.nan, math.inf, -math.inf)] == [1.5, None, None, None]
