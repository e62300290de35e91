"""A NaN that a graph only chooses from is no finding until it is chosen; TensorFlow writes such constants itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import config

from tensordbg.backends.tensorflow.check.latent import latent_in_definition
from tests.backends.tensorflow.checked import checking, raised

v1 = tf.compat.v1
LABELS = [0, 1, 2, 1]


@pytest.fixture(autouse=True)
def deterministic() -> Iterator[None]:
    tf.config.experimental.enable_op_determinism()
    yield
    config.disable_op_determinism()


def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    weight = WEIGHT if tf.inside_function() else tf.Variable(tf.ones([4, 3]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, x @ weight))
    return tape.gradient(loss, weight)


WEIGHT = tf.Variable(tf.ones([4, 3]))


def eagerly() -> None:
    step(tf.ones([4, 4]), tf.constant(LABELS))


def in_a_function() -> None:
    signature = [tf.TensorSpec([None, 4]), tf.TensorSpec([None], tf.int32)]
    tf.function(step, input_signature=signature)(tf.ones([4, 4]), tf.constant(LABELS))


def in_a_session() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None, 3]), v1.placeholder(tf.int32, [None])
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, x))
        session.run([loss, *v1.gradients(loss, x)], {x: np.ones([4, 3]), y: LABELS})


def in_a_gradient_that_is_computed_again() -> None:
    @tf.recompute_grad
    def layer(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.math.log(x * WEIGHT))

    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            y = layer(x)
        return tape.gradient(y, WEIGHT)

    tf.function(slope)(tf.ones([4, 1]))


@pytest.mark.parametrize("program", [eagerly, in_a_function, in_a_session, in_a_gradient_that_is_computed_again])
def test_a_healthy_program_is_not_stopped(program: Callable[[], None], capsys: pytest.CaptureFixture[str]) -> None:
    with checking():
        assert raised(program) is None
    assert "checking stopped" not in capsys.readouterr().err


@tf.function
def chosen(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.where(x > 0.0, x, float("nan")))


@tf.function
def added(x: tf.Tensor) -> tf.Tensor:
    return tf.where(x > 0.0, x, float("nan")) + tf.constant(float("nan"))


@tf.function
def returned(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    nan = tf.constant(float("nan"))
    return tf.where(x > 0.0, x, nan), nan


@tf.function
def data(x: tf.Tensor) -> tf.Tensor:
    return tf.where(x > 0.0, x, tf.constant([1.0, float("nan")]))


@pytest.mark.parametrize(
    ("program", "given", "op_type"),
    [
        (chosen, [1.0, 2.0], None),
        (chosen, [1.0, -2.0], "SelectV2"),
        (added, [1.0, 2.0], "Const"),
        (returned, [1.0, 2.0], "Const"),
        (data, [1.0, 2.0], "Const"),
        (lambda x: x + tf.constant(float("nan")), [1.0, 2.0], "Const"),
    ],
)
def test_what_is_chosen_is_found(program: Callable[..., object], given: list[float], op_type: str | None) -> None:
    with checking():
        found = raised(program, tf.constant(given))
    assert (None if found is None else found.op_type) == op_type


def test_the_way_of_a_constant() -> None:
    @tf.function
    def widened(x: tf.Tensor) -> tf.Tensor:
        return tf.where(x > 0.0, x, tf.cast(tf.broadcast_to(tf.constant(np.nan, tf.float64), tf.shape(x)), tf.float32))

    concrete = widened.get_concrete_function(tf.TensorSpec([None]))
    assert latent_in_definition(concrete.function_def) == {"Const", "BroadcastTo", "Cast"}


def test_an_eager_operation_that_gives_lists_does_not_end_the_checking(capsys: pytest.CaptureFixture[str]) -> None:
    ragged = tf.ragged.constant([[1.0, 0.0], [4.0]])
    with checking():
        tf.map_fn(tf.reduce_max, ragged, fn_output_signature=tf.float32)
        assert raised(tf.math.log, tf.constant(0.0)) is not None
    assert "checking stopped" not in capsys.readouterr().err
