from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensordbg.analysis.view.event.value_window import ValueWindow
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.table.history import thinned_history
from tensordbg.trace.reader import open_trace
from tensordbg.wire.view.tensor import ValuesView, number_view, tensor_view, values_view


def test_history(sample: Path) -> None:
    view = tensor_view(thinned_history(OpenedTrace(open_trace(sample)), "Log", "", 10))
    assert (view.tensor, view.function, view.total) == ("Log:0", "train", 3)
    assert [(point.event, point.step, point.health and point.health.neg_inf) for point in view.points] == [
        (1, 0, 0), (5, 1, 0), (9, 2, 1),
    ]  # fmt: skip


def test_values() -> None:
    elements = np.array([[1.0, np.nan], [-np.inf, 2.5]], dtype=np.float32)
    window = ValueWindow("float32", (2, 9, 9), "[0, :, :]", (9, 9), (9, 9), elements, 1.0, 2.5)
    assert values_view(7, window, (3, 4)) == ValuesView(
        event=7,
        dtype="float32",
        shape=(2, 9, 9),
        slice="[0, :, :]",
        slice_shape=(9, 9),
        row_offset=3,
        column_offset=4,
        rows_total=9,
        columns_total=9,
        rows=((1.0, "nan"), ("-inf", 2.5)),
        min=1.0,
        max=2.5,
    )


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (np.float16(0.5), 0.5),
        (np.float64(np.inf), "inf"),
        (np.int8(-3), -3),
        (np.uint64(2**63), str(2**63)),
        (np.int64(2**53), 2**53),
        (np.bool_(True), True),
        (np.complex64(1 + 2j), "(1+2j)"),
        (np.str_("word"), "word"),
        ("word", "word"),
    ],
)
def test_elements(element: Any, said: object) -> None:
    number = number_view(element)
    assert (number, type(number)) == (said, type(said))


def test_narrow_numbers() -> None:
    types = pytest.importorskip("ml_dtypes")
    assert number_view(types.bfloat16(1.5)) == 1.5
    assert number_view(types.float8_e4m3fn(float("nan"))) == "nan"
