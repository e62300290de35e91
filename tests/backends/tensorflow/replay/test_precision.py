"""Captured steps in a wider type."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.backends.tensorflow.replay.precision import Precision
from tensordbg.backends.tensorflow.replay.replayer import Replayer
from tensordbg.capture.outcome import Reading
from tensordbg.capture.reader import open_capture
from tensordbg.replaying.plan import ReplayPlan
from tests.backends.tensorflow.captured import captures


def replay(name: str, precision: str) -> tuple[Replayer, dict[str, Reading]]:
    path = captures()[name]
    replayer = Replayer(open_capture(path), ReplayPlan(str(path), precision=precision))
    return replayer, {reading.role: reading for reading in replayer.run(replayer.arguments)}


@pytest.mark.parametrize(
    ("name", "precision", "loss"),
    [
        ("half", "", None),
        ("half", "float32", 360_000.0),
        ("half", "float64", 360_000.0),
        ("single", "", None),
        ("single", "float32", None),
        ("single", "float64", 96.0 + np.log(2.0)),
    ],
)
def test_an_overflow_goes_away_where_there_is_room(name: str, precision: str, loss: float | None) -> None:
    _, readings = replay(name, precision)
    assert readings["loss"].bad is (loss is None)
    if loss is not None:
        assert readings["loss"].value == pytest.approx(loss, rel=1e-6)


def test_an_operation_without_such_a_form_is_named() -> None:
    step, _ = replay("single", "float64")
    assert step.notes == ("not computed in float64, as there is no such form of it: FusedBatchNormV3",)
    assert replay("half", "float32")[0].notes == ()


def test_random_numbers_stay_those_of_the_narrower_type() -> None:
    _, readings = replay("noisy", "float64")
    assert readings["loss"].bad


def test_arrays_of_other_kinds_stay_as_they_are() -> None:
    whole = np.arange(3)
    assert Precision("float64").widen_array(whole) is whole
    assert Precision("float64").widen_array(np.ones(2, np.float16)).dtype == np.float64
