"""The exceptions of checks carry what was found, however they come out of TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.check.checking import disable_check_numerics, enable_check_numerics
from tensordbg.backends.tensorflow.raised import check_within
from tensordbg.checking.found import CheckFound
from tensordbg.recording.carried import carried

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    enable_check_numerics()
    yield
    disable_check_numerics()


def eagerly() -> None:
    tf.math.log([0.0, 1.0])


def in_function() -> None:
    tf.function(tf.math.log)(tf.constant([0.0, 1.0]))


def in_dataset() -> None:
    list(tf.data.Dataset.from_tensors([0.0, 1.0]).map(tf.math.log))


def in_python_of_a_function() -> None:
    tf.function(lambda x: tf.py_function(lambda y: tf.math.log(y), [x], tf.float32))(tf.constant([0.0, 1.0]))


def in_session() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [2])
        session.run(tf.math.log(given), {given: np.array([0.0, 1.0])})


def in_keras() -> None:
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Lambda(tf.math.log)])
    model.predict(np.array([[0.0, 1.0]], np.float32), verbose=0)


@pytest.mark.parametrize(
    "program",
    [eagerly, in_function, in_dataset, in_python_of_a_function, in_session, in_keras],
    ids=lambda each: each.__name__,
)
def test_the_exception_carries_what_was_found(program: Callable[[], None]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        program()
    found = carried(raised.value, CheckFound)
    assert found is not None
    assert 'op "Log" (# of outputs: 1)' in found.output
    assert found.counts == (("-Inf", 1),)
    # AutoGraph leaves no line of a lambda that is called from the runtime.
    assert Path(__file__).name in found.source or program is in_python_of_a_function
    assert raised.value.message.startswith("\n\n!!! Detected Infinity or NaN in output 0 of ")


def test_another_error_holds_no_check() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.reshape([1.0, 2.0], [3])
    assert check_within(raised.value) is None
    assert carried(raised.value, CheckFound) is None
    assert (
        check_within(ValueError("!!! Detected Infinity or NaN in output 0 of x !!!\n : Tensor had NaN values")) is None
    )
