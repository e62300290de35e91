from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.internals import op_def_library
from tensordbg.backends.tensorflow.refused import layer_behind, note_layer, operation_behind


def error_of(program: Callable[[], object], folder: Path) -> Exception:
    with pytest.raises(Exception) as caught, tensordbg.record(folder):  # noqa: PT011  whatever it is
        program()
    assert isinstance(caught.value, Exception)
    return caught.value


def test_an_operation_that_is_refused_while_traced_is_noted_with_its_inputs(tmp_path: Path) -> None:
    plain = op_def_library._apply_op_helper
    given = tf.function(lambda x: tf.concat([x, tf.ones([4, 2])], 1))
    refused = operation_behind(error_of(lambda: given(tf.ones([2, 3])), tmp_path))
    assert refused is not None
    assert (refused.op_type, refused.name) == ("ConcatV2", "concat")
    assert [tuple(getattr(each, "shape", ())) for each in refused.inputs()] == [(2, 3), (4, 2), ()]
    assert op_def_library._apply_op_helper is plain


def test_an_operation_of_types_that_do_not_go_together(tmp_path: Path) -> None:
    given = tf.function(lambda x: tf.matmul(tf.cast(x, tf.float64), tf.ones([3, 2])))
    refused = operation_behind(error_of(lambda: given(tf.ones([2, 3])), tmp_path))
    assert refused is not None
    assert (refused.op_type, [each.dtype.name for each in refused.inputs()]) == ("MatMul", ["float64", "float32"])


def test_the_innermost_layer_is_noted_with_what_it_was_given(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="head")], name="model")
    refusing = layer_behind(error_of(lambda: model(tf.ones([4, 5])), tmp_path))
    assert refusing is not None
    assert (refusing.path.split("/")[-1], refusing.of_framework) == ("head", True)
    assert [tuple(each.shape) for each in refusing.given] == [(4, 5)]


def test_a_layer_of_the_programs_own_is_none_of_the_framework() -> None:
    first, error = ValueError("first"), ValueError("last")
    note_layer(first, "model/mine", object(), [1])
    note_layer(error, "model", object(), [])
    error.__context__, error.__suppress_context__ = first, True
    refusing = layer_behind(error)
    assert refusing is not None
    assert (refusing.path, refusing.of_framework) == ("model/mine", False)
    assert layer_behind(ValueError("another")) is None
    assert operation_behind(error) is None


def test_the_error_and_its_traceback_are_the_programs_own(tmp_path: Path) -> None:
    given = tf.function(lambda x: tf.matmul(x, tf.ones([4, 3])))
    with pytest.raises(ValueError, match="Dimensions must be equal") as plain:
        given(tf.ones([2, 3]))
    error = error_of(lambda: given(tf.ones([2, 3])), tmp_path)
    assert str(error) == str(plain.value)
    assert type(error) is type(plain.value)
