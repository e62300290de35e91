from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.tensors.slices import parse_slice
from tensordbg.analysis.view.event.value_window import ValueWindow, at_most_two, value_window
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.requests import Window
from tensordbg.errors import AbsentError, UsageError
from tensordbg.trace.reader import open_trace
from tests.trace.builder import TraceBuilder, kept, small_program

ARRAYS = [
    np.arange(60, dtype=np.float32).reshape(3, 4, 5),
    np.array([1.0, np.nan, -np.inf, 7.0], dtype=np.float64),
    np.array(True),
    np.arange(6, dtype=np.int32).reshape(2, 3),
    np.array([1 + 2j], dtype=np.complex64),
]


@pytest.fixture
def kept_values(tmp_path: Path) -> OpenedTrace:
    """A trace with the elements of `ARRAYS`."""
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    for array in ARRAYS:
        build.eager_tensor(build.begin(site=6), 6, kept(array))
    build.finish()
    return OpenedTrace(open_trace(build.folder))


def window(opened: OpenedTrace, event: int, slice_text: str = "", **rest: int) -> ValueWindow:
    return value_window(opened, event, Window(slice_text, **rest))


def test_of_three_dimensions_the_last_two_are_shown(kept_values: OpenedTrace) -> None:
    found = window(kept_values, 0)
    assert (found.slice, found.slice_shape, found.total) == ("[0, :, :]", (4, 5), (4, 5))
    np.testing.assert_array_equal(found.elements, ARRAYS[0][0])
    assert (found.low, found.high) == (0.0, 19.0)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[2]", "[2, :, :]"),
        ("[..., -1]", "[:, :, -1]"),
        ("1:", "[1, :, :]"),
        ("[::2, 1]", "[::2, 1, :]"),
        ("[:, 1:3, 2]", "[:, 1:3, 2]"),
        ("[0, 1, 2]", "[0, 1, 2]"),
        ("[9:]", "[0:0, :, :]"),
    ],
)
def test_slices(kept_values: OpenedTrace, text: str, shown: str) -> None:
    found = window(kept_values, 0, text)
    assert found.slice == shown
    part = ARRAYS[0][at_most_two(ARRAYS[0], parse_slice(text))]
    assert found.elements.size == part.size
    np.testing.assert_array_equal(found.elements.ravel(), part.ravel())


def test_only_rows_and_columns_asked_for(kept_values: OpenedTrace) -> None:
    found = window(kept_values, 0, "[1]", row_offset=1, column_offset=3, rows=2, columns=9)
    assert found.total == (4, 5)
    np.testing.assert_array_equal(found.elements, ARRAYS[0][1, 1:3, 3:])
    assert window(kept_values, 0, row_offset=99).elements.shape == (0, 5)


def test_vector_is_one_row_and_only_finite_elements_have_an_extent(kept_values: OpenedTrace) -> None:
    found = window(kept_values, 1)
    assert (found.slice, found.slice_shape, found.elements.shape) == ("[:]", (4,), (1, 4))
    assert (found.low, found.high) == (1.0, 7.0)


def test_scalars_and_other_dtypes(kept_values: OpenedTrace) -> None:
    assert (window(kept_values, 2).slice, window(kept_values, 2).elements.tolist()) == ("[]", [[True]])
    assert (window(kept_values, 3).low, window(kept_values, 3).high) == (0.0, 5.0)
    assert window(kept_values, 4).low is None


def test_mistakes(kept_values: OpenedTrace, opened: OpenedTrace) -> None:
    with pytest.raises(UsageError, match="no such slice of a tensor of shape"):
        window(kept_values, 0, "[7]")
    with pytest.raises(UsageError, match="is no part of one"):
        window(kept_values, 0, "[a]")
    with pytest.raises(AbsentError, match="no event 5;"):
        window(kept_values, 5)
    with pytest.raises(UsageError, match="the elements of event 0 were not kept"):
        window(opened, 0)
