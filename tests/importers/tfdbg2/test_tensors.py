from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tensordbg.health import measure
from tensordbg.health.spec import TENSORFLOW_DTYPES
from tensordbg.importers.tfdbg2.messages import event_type
from tensordbg.importers.tfdbg2.tensors import (
    CONCISE_HEALTH,
    CURT_HEALTH,
    FULL_HEALTH,
    FULL_TENSOR,
    NO_TENSOR,
    SHAPE,
    described,
)
from tensordbg.model import NONE, SOMEWHERE, Health
from tensordbg.trace.events import TensorEvent
from tensordbg.trace.raw.record import RecordFlag
from tests.importers.tfdbg2.logbuilder import BAD, HEALTHY, summary

NUMBER = {name: number for number, name in TENSORFLOW_DTYPES.items()}


def tensor(**fields: Any) -> Any:
    return event_type()(graph_execution_trace={"tensor_proto": fields}).graph_execution_trace.tensor_proto


def of(mode: int, *numbers: float) -> TensorEvent:
    return described(mode, tensor(**summary(numbers)))


def test_no_tensor_says_nothing() -> None:
    assert described(NO_TENSOR, tensor()) == TensorEvent()


@pytest.mark.parametrize(("bad", "first_bad"), [(0.0, NONE), (1.0, SOMEWHERE)])
def test_curt_health_says_only_whether_all_are_finite(bad: float, first_bad: int) -> None:
    event = of(CURT_HEALTH, 3, bad)
    assert event.health is not None and event.health.first_bad == first_bad
    assert event.flags == RecordFlag.FINITENESS
    assert event.size is None


def test_concise_health_counts_what_is_not_finite() -> None:
    event = of(CONCISE_HEALTH, 3, 10, 1, 2, 3)
    assert event.health is not None
    assert (event.size, event.health.neg_inf, event.health.pos_inf, event.health.nan) == (10, 1, 2, 3)
    assert event.flags == RecordFlag.FINITENESS | RecordFlag.SPECIALS


def test_full_health_also_counts_signs() -> None:
    event = of(FULL_HEALTH, *HEALTHY)
    assert (event.dtype, event.shape, event.size) == ("float32", (3,), 3)
    assert event.health is not None
    assert (event.health.negative, event.health.zero, event.health.positive) == (1, 0, 2)
    assert math.isnan(event.health.min) and math.isnan(event.health.mean) and math.isnan(event.health.std)
    bad = of(FULL_HEALTH, *BAD).health
    assert bad is not None and (bad.nan, bad.first_bad) == (1, SOMEWHERE)


def test_full_health_of_more_dimensions_has_no_shape() -> None:
    event = of(FULL_HEALTH, 7, -1, 1, 2, 6, 0, 0, 0, 0, 0, 6)
    assert (event.shape, event.size) == (None, 6)


def test_shape_of_up_to_six_dimensions() -> None:
    assert of(SHAPE, 3, 9, 2, 6, 2, 3, 0, 0, 0, 0) == TensorEvent("int64", (2, 3), 6)
    assert of(SHAPE, 3, 9, 8, 40320, 3, 4, 5, 6, 7, 8) == TensorEvent("int64", None, 40320)


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16", "int8", "bool", "complex64", "uint32"])
def test_whole_tensors_are_measured(name: str) -> None:
    dtype = np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
    values = np.array([[0, 1, 2], [3, 0, 5]]).astype(dtype)
    shape = {"dim": [{"size": 2}, {"size": 3}]}
    event = described(FULL_TENSOR, tensor(dtype=NUMBER[name], tensor_shape=shape, tensor_content=values.tobytes()))
    assert (event.dtype, event.shape, event.size) == (name, (2, 3), 6)
    assert repr(event.health) == repr(measure(values))
    assert event.flags == RecordFlag.HEALTH


@pytest.mark.parametrize(
    ("name", "field", "listed", "value"),
    [
        ("float32", "float_val", [-1.5], -1.5),
        ("float64", "double_val", [2.5], 2.5),
        ("float16", "half_val", [0xC000], -2.0),
        ("bfloat16", "half_val", [0x4040], 3.0),
        ("int32", "int_val", [-7], -7),
        ("int64", "int64_val", [9], 9),
        ("bool", "bool_val", [True], 1),
        ("complex64", "scomplex_val", [3.0, 4.0], 5.0),
        ("float8_e5m2", "float8_val", b"\x3c", 1.0),
    ],
)
def test_scalars_lie_in_lists(name: str, field: str, listed: Any, value: float) -> None:
    event = described(FULL_TENSOR, tensor(dtype=NUMBER[name], **{field: listed}))
    assert event.shape == ()
    assert event.health is not None and event.health.max == value


def test_text_has_a_shape_and_no_health() -> None:
    event = described(FULL_TENSOR, tensor(dtype=7, tensor_shape={"dim": [{"size": 2}]}))
    assert event == TensorEvent("string", (2,), 2)


@pytest.mark.parametrize(
    ("mode", "numbers"),
    [
        (CURT_HEALTH, ()),
        (CONCISE_HEALTH, (3, 2, 5, 0, 0)),
        (CONCISE_HEALTH, (3, math.inf, 0, 0, 0)),
        (FULL_HEALTH, (math.nan,) * 11),
        (FULL_HEALTH, (7, -1, 1, 1, 1e300, 0, 0, 0, 0, 0, 0)),
        (SHAPE, (3, 1, 2, 7, 2, 3, 0, 0, 0, 0)),
        (SHAPE, (3, 1, 1, -1, -1, 0, 0, 0, 0, 0)),
        (99, (1.0,)),
    ],
)
def test_nonsense_counts_as_unknown(mode: int, numbers: tuple[float, ...]) -> None:
    assert of(mode, *numbers) == TensorEvent()


def test_a_whole_tensor_whose_parts_do_not_fit() -> None:
    shape = {"dim": [{"size": 2}]}
    event = described(FULL_TENSOR, tensor(dtype=1, tensor_shape=shape, float_val=[1.0]))
    assert event == TensorEvent("float32", (2,), 2)
    assert described(FULL_TENSOR, tensor(dtype=1, tensor_shape={"dim": [{"size": -1}]})) == TensorEvent()
    assert isinstance(measure(np.zeros(1)), Health)
