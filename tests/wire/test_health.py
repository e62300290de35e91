from __future__ import annotations

import math

from tensordbg.model import Health
from tensordbg.wire.health import health_to_json


def test_counts_and_statistics() -> None:
    health = Health(size=6, negative=1, zero=2, nan=1, subnormal=1, min=-1.0, max=3.0, sum=4.0, sum_squares=12.0)
    assert health_to_json(health) == {
        "size": 6,
        "negative": 1,
        "zero": 2,
        "positive": 2,
        "neg_inf": 0,
        "pos_inf": 0,
        "nan": 1,
        "subnormal": 1,
        "min": -1.0,
        "max": 3.0,
        "mean": 0.8,
        "std": health.std,
    }


def test_null_where_nothing_is_finite() -> None:
    wire = health_to_json(Health(size=2, nan=2))
    assert [wire[name] for name in ("min", "max", "mean", "std")] == [None] * 4


def test_null_where_nothing_was_measured() -> None:
    unmeasured = ("positive", "negative", "zero", "subnormal")
    wire = health_to_json(Health(size=2, nan=1, sum=math.nan, sum_squares=math.nan, unmeasured=unmeasured))
    assert {name for name, value in wire.items() if value is None} == {*unmeasured, "min", "max", "mean", "std"}
    assert wire["nan"] == 1
