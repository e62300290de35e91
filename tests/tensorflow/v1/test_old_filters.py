"""Filters of TensorFlow 1 programs see a datum and an array, and say the same as TensorFlow's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.language.filters import Filters
from tensordbg.tensorflow.v1.old_filters import TensorDatum, add_old_filter, has_inf_or_nan
from tensordbg.trace.reader import open_trace


@pytest.mark.parametrize(
    "value",
    [
        np.array([1.0, np.nan]),
        np.array([1.0, -np.inf], np.float32),
        np.array([1.0, 2.0]),
        np.array([1, 2]),
        np.array([1 + 2j, complex(0, np.nan)]),
        np.array(["nan"]),
        np.array([True]),
        np.float32("inf"),
        np.zeros([0, 3]),
    ],
)
def test_it_says_what_tensorflows_own_says(value: Any) -> None:
    from tensorflow.python import debug

    assert has_inf_or_nan(None, value) is bool(debug.has_inf_or_nan(None, value))


def test_a_filter_is_told_of_each_tensor(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path, detail="values"):
        tf.function(lambda x: tf.math.sqrt(tf.exp(x, name="Exp"), name="Sqrt"))(tf.constant([1.0, 2.0]))
    opened = OpenedTrace(open_trace(tmp_path))
    seen: list[TensorDatum] = []

    def wanted(datum: TensorDatum, tensor: Any) -> bool:
        seen.append(datum)
        return bool(tensor.max() > 7)

    filters = Filters()
    add_old_filter(filters, "large", wanted)
    passing = filters.parse("large").passing(opened, np.arange(opened.event_count))
    assert {opened.row(event).tensor for event in passing.tolist()} == {"Exp:0"}
    (datum,) = (each for each in seen if each.node_name == "Sqrt")
    assert (datum.tensor_name, datum.output_slot, datum.watch_key) == ("Sqrt:0", 0, "Sqrt:0:DebugIdentity")
    assert (datum.dump_size_bytes, datum.device_name.endswith("CPU:0")) == (8, True)
    np.testing.assert_allclose(datum.get_tensor(), np.sqrt(np.exp([1.0, 2.0])), rtol=1e-6)
    assert 1.6e15 < datum.timestamp < 1e17


def test_names_and_functions_are_checked_as_they_were() -> None:
    filters = Filters()
    with pytest.raises(TypeError, match="filter_name is expected to be str"):
        add_old_filter(filters, 3, has_inf_or_nan)
    with pytest.raises(ValueError, match="filter_name cannot be empty"):
        add_old_filter(filters, "", has_inf_or_nan)
    with pytest.raises(TypeError, match="filter_callable is expected to be callable"):
        add_old_filter(filters, "f", 3)
    add_old_filter(filters, "has_inf_or_nan", has_inf_or_nan)
    assert filters.own == {}
