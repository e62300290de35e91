"""What TensorFlow's own exceptions tell of the operation that raised."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
import tensorflow as tf

from tensordbg.debug.raised import described, operation_of

v1 = tf.compat.v1


def in_function() -> None:
    @tf.function
    def wrong(x: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
        return tf.reshape(tf.exp(x), shape, name="wrong_shape")

    wrong(tf.ones([3]), tf.constant([2, 2]))


def in_nested_function() -> None:
    @tf.function
    def inner(x: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, shape, name="inner_shape")

    tf.function(lambda x, shape: inner(x, shape) + 1.0)(tf.ones([3]), tf.constant([2, 2]))


def in_session() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        shape = v1.placeholder(tf.int32, [None])
        session.run(tf.reshape(tf.ones([3]), shape, name="scope/session_shape"), {shape: [2, 2]})


def eagerly() -> None:
    tf.reshape(tf.ones([3]), [2, 2])


def by_python() -> None:
    raise ValueError("no {node} of ours")


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (in_function, "wrong_shape"),
        (in_nested_function, "inner_shape"),
        (in_session, "scope/session_shape"),
        (eagerly, "Reshape"),
        (by_python, ""),
    ],
)
def test_the_operation_is_named(program: Callable[[], None], name: str) -> None:
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)) as raised:
        program()
    assert operation_of(raised.value).endswith(name)
    assert bool(operation_of(raised.value)) is bool(name)
    assert described(raised.value).startswith(f"{type(raised.value).__name__}: ")


def test_a_framework_that_the_program_has_not_imported_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setitem(sys.modules, "tensordbg.backends.torch.recording", None)
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        eagerly()
    assert operation_of(raised.value).endswith("Reshape")
    assert operation_of(ValueError("of Python")) == "" and "torch" not in sys.modules


def test_an_exception_without_a_message() -> None:
    assert described(StopIteration()) == "StopIteration"
