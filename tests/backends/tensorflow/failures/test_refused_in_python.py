from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.failures.refused_in_python import inputs_of_python_function, refused_in_python
from tensordbg.backends.tensorflow.internals import traceback_utils
from tensordbg.recording.catalog import CATALOG


def refused(program: Callable[[], object], folder: Path) -> list[object]:
    with pytest.raises(Exception) as caught, tensordbg.record(folder):  # noqa: PT011  whatever it is
        program()
    return refused_in_python(caught.value, CATALOG)


def test_what_a_function_makes_of_what_it_was_given_is_left_out(tmp_path: Path) -> None:
    given = tf.ones([3])
    (found,) = refused(lambda: tf.debugging.assert_rank(given, 2), tmp_path)
    assert found is given


def test_tensors_in_lists_count(tmp_path: Path) -> None:
    first, second = tf.ones([3]), tf.ones([4])
    found = refused(lambda: tf.debugging.assert_shapes([(first, "N"), (second, "N")]), tmp_path)
    assert [id(each) for each in found] == [id(first), id(second)]


def test_arrays_of_numpy_count(tmp_path: Path) -> None:
    labels = np.ones([4, 3], np.float32)
    found = refused(lambda: keras.losses.categorical_crossentropy(labels, tf.ones([4, 5])), tmp_path)
    assert [tuple(each.shape) for each in found] == [(4, 3), (4, 5)]  # type: ignore[attr-defined]


def test_an_error_of_the_program_s_own_refuses_nothing(tmp_path: Path) -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        raise ValueError(x.shape)

    def plain(x: tf.Tensor) -> None:
        raise ValueError(x.shape)

    assert refused(lambda: step(tf.ones([3])), tmp_path / "traced") == []
    assert refused(lambda: plain(tf.ones([3])), tmp_path / "plain") == []


def test_the_hooks_are_taken_out_again(tmp_path: Path) -> None:
    plain = traceback_utils._process_traceback_frames
    with tensordbg.record(tmp_path):
        assert traceback_utils._process_traceback_frames is not plain
    assert traceback_utils._process_traceback_frames is plain


def test_the_error_and_its_traceback_are_the_program_s_own(tmp_path: Path) -> None:
    def lines(error: BaseException) -> list[tuple[str, int]]:
        found, trace = [], error.__traceback__
        while trace is not None:
            found.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
            trace = trace.tb_next
        return found

    def program() -> None:
        tf.debugging.assert_rank(tf.ones([3]), 2)

    with pytest.raises(ValueError, match="must have rank 2") as plain:
        program()
    with pytest.raises(ValueError, match="must have rank 2") as recorded, tensordbg.record(tmp_path):
        program()
    assert lines(recorded.value)[-2:] == lines(plain.value)[-2:]


def test_what_a_python_function_was_given_that_was_called_eagerly(tmp_path: Path) -> None:
    def fails(number: Any) -> Any:
        return {}[int(number)]

    given = tf.constant(4)
    with tensordbg.record(tmp_path), pytest.raises(KeyError) as raised:
        tf.numpy_function(fails, [given], tf.float32)
    (kept,) = inputs_of_python_function(raised.value)
    assert kept is given
    with tensordbg.record(tmp_path), pytest.raises(KeyError) as raised:
        fails(given)
    assert inputs_of_python_function(raised.value) == []
