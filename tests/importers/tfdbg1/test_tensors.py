"""What TensorFlow's own operations of the debugger say of a tensor is what is measured of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.health import measure
from tensordbg.importers.tfdbg1.tensors import event_of
from tensordbg.model import SOMEWHERE
from tensordbg.trace.events import TensorEvent

VALUE = np.array([[1.0, -2.0, 0.0], [np.nan, np.inf, 4.0]], np.float32)


def event(operation: str, value: Any) -> TensorEvent:
    return event_of(operation, tf.make_tensor_proto(value))


def test_whole_tensors_have_their_elements() -> None:
    found = event("DebugIdentity", VALUE)
    assert (found.dtype, found.shape, found.health) == ("float32", (2, 3), measure(VALUE))
    assert found.elements is not None
    np.testing.assert_array_equal(found.elements, VALUE)


def test_texts_have_none() -> None:
    found = event("DebugIdentity", np.array([b"a", b"b"]))
    assert (found.dtype, found.shape, found.health, found.elements) == ("string", (2,), None, None)


def test_a_summary_has_counts_extent_and_moments() -> None:
    finite = VALUE[np.isfinite(VALUE)].astype(float)
    moments = [finite.min(), finite.max(), finite.mean(), finite.var()]
    summary = np.array([1, 6, 1, 0, 1, 1, 2, 1, *moments, 1, 2, 2, 3], np.float64)
    found = event("DebugNumericSummary", summary)
    measured = measure(VALUE)
    assert found.health is not None
    for name in ("size", "negative", "zero", "neg_inf", "pos_inf", "nan", "min", "max"):
        assert getattr(found.health, name) == getattr(measured, name)
    assert found.health.sum == pytest.approx(measured.sum)
    assert found.health.sum_squares == pytest.approx(measured.sum_squares)
    assert (found.dtype, found.shape, found.health.first_bad) == ("float32", (2, 3), SOMEWHERE)


@pytest.mark.parametrize("summary", [np.zeros(14), np.ones(5), np.array([1.0] + [3.0] * 13), np.zeros([0])])
def test_a_summary_of_nothing_tells_nothing(summary: Any) -> None:
    assert event("DebugNumericSummary", summary) == TensorEvent()


def test_a_count_of_nans_tells_that_there_are_some() -> None:
    found = event("DebugNanCount", np.int64(3))
    assert found.health is not None and found.health.first_bad == SOMEWHERE
    assert event("DebugNanCount", np.int64(0)) == TensorEvent()
