"""What Python code of TensorFlow or Keras refuses, of which no operation tells: which tensors, and where they began."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of, line_of

X = tf.ones([4, 6])


def a_rank() -> None:
    flat = tf.reshape(X, [-1])  # HERE
    tf.debugging.assert_rank(flat * 2.0, 2)


def a_rank_while_traced() -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        flat = tf.reshape(x, [-1])  # HERE
        tf.debugging.assert_rank(flat * 2.0, 2, message="logits")
        return flat

    step(X)


def one_of_some_ranks() -> None:
    cube = tf.reshape(X, [2, 2, 6])  # HERE
    tf.debugging.assert_rank_in(cube * 1.0, [1, 2])


def shapes_that_go_together() -> None:
    both = tf.concat([X, X], 0)  # HERE
    tf.debugging.assert_shapes([(X, ("N", "Q")), (both, ("N", "P"))])


def shapes_that_go_together_while_traced() -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        both = tf.concat([x, x], 0)  # HERE
        tf.debugging.assert_shapes([(x, ("N", "Q")), (both, ("N", "P"))])
        return both

    step(X)


def a_type() -> None:
    whole = tf.cast(X, tf.int64)  # HERE
    tf.debugging.assert_type(whole + 1, tf.int32)


def a_scalar() -> None:
    loss = tf.reduce_mean(X, axis=1)  # HERE
    tf.debugging.assert_scalar(loss * 2.0)


def a_scalar_while_traced() -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        loss = tf.reduce_mean(x, axis=1)  # HERE
        tf.debugging.assert_scalar(loss * 2.0)
        return loss

    step(X)


def a_shape_that_is_set() -> None:
    other = tf.reshape(X, [3, 8])  # HERE
    other.set_shape([4, 6])


def a_conversion_while_traced() -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        whole = tf.cast(x, tf.int32)  # HERE
        return tf.convert_to_tensor(whole, tf.float32)

    step(X)


def types_that_should_be_one() -> None:
    whole = tf.cast(X, tf.int32)  # HERE
    tf.debugging.assert_same_float_dtype([X, whole])


def a_loss_of_keras() -> None:
    labels = tf.one_hot([1, 2, 0, 1], 3)  # HERE
    keras.losses.categorical_crossentropy(labels, tf.nn.softmax(tf.ones([4, 5])))


CASES: list[tuple[Callable[[], None], str, str, list[list[int]]]] = [
    (a_rank, "shape", "Reshape:0 made [24] of [4, 6]", [[24]]),
    (a_rank_while_traced, "shape", "Reshape:0 made [24] of [4, 6]", [[24]]),
    (one_of_some_ranks, "shape", "Reshape:0 made [2, 2, 6] of [4, 6]", [[2, 2, 6]]),
    (shapes_that_go_together, "shape", "ConcatV2:0 made [8, 6] of [4, 6] and [4, 6]", [[4, 6], [8, 6]]),
    (shapes_that_go_together_while_traced, "shape", "made [8, 6] of [4, 6] and [4, 6]", [[4, 6], [8, 6]]),
    (a_type, "dtype", "Cast:0 made int64 of float32", [[4, 6]]),
    (a_scalar, "shape", "Mean:0 made [4] of [4, 6]", [[4]]),
    (a_scalar_while_traced, "shape", "Mean:0 made [4] of [4, 6]", [[4]]),
    (a_shape_that_is_set, "shape", "Reshape:0 made [3, 8] of [4, 6]", [[3, 8]]),
    (a_conversion_while_traced, "dtype", "Cast:0 made int32 of float32", [[4, 6]]),
    (types_that_should_be_one, "dtype", "Cast:0 made int32 of float32", [[4, 6], [4, 6]]),
    (a_loss_of_keras, "shape", "OneHot:0 made [4, 3] of [4]", [[4, 3], [4, 5]]),
]


@pytest.mark.parametrize(("program", "what", "said", "shapes"), CASES, ids=[case[0].__name__ for case in CASES])
def test_what_was_refused_and_its_beginning_are_told(
    program: Callable[[], None], what: str, said: str, shapes: list[list[int]], tmp_path: Path
) -> None:
    failure, text = answer_of(program, tmp_path)
    began = failure["beginnings"][0]
    assert (began["what"], began["source"]["line"]) == (what, line_of(program))
    assert said in began["explanation"]
    assert said in " ".join(text.split())
    assert [each["shape"] for each in failure["inputs"]] == shapes


def test_the_tensor_that_an_eager_assertion_refused_has_its_name_and_elements(tmp_path: Path) -> None:
    failure, text = answer_of(a_scalar, tmp_path)
    assert [(each["tensor"], each["elements"]) for each in failure["inputs"]] == [("Mul:0", "[2, 2, 2, 2]")]
    assert text.startswith("raised ValueError, test_refused_in_python.py:")
    assert "its input Mul:0 is [2, 2, 2, 2]" in " ".join(text.split())


def test_an_eager_tensor_that_a_function_uses_is_told_by_its_name(tmp_path: Path) -> None:
    scale = tf.constant([1.0, 2.0], tf.float64)

    @tf.function
    def apply(x: tf.Tensor) -> tf.Tensor:
        return x * scale

    failure, _ = answer_of(lambda: apply(tf.ones([2])), tmp_path)
    assert failure["lead"].endswith("its inputs are x:0 float32[2] and scale float64[2]")


def test_a_loss_in_a_fit_is_told_with_both_that_it_compared(tmp_path: Path) -> None:
    def fit() -> None:
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(5, activation="softmax")])
        model.compile("sgd", "categorical_crossentropy")
        model.fit(np.ones([8, 4]), np.ones([8, 3]), verbose=0)

    failure, _ = answer_of(fit, tmp_path)
    assert [each["shape"] for each in failure["inputs"]] == [[-1, 3], [-1, 5]]


def test_a_feed_of_the_wrong_shape_is_told_with_its_placeholder(tmp_path: Path) -> None:
    def run() -> None:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
            session.run(x * 2, {x: np.ones([3, 5], np.float32)})

    failure, _ = answer_of(run, tmp_path)
    assert [(each["tensor"], each["shape"]) for each in failure["inputs"]] == [("x:0", [-1, 4]), ("ndarray", [3, 5])]


def test_a_type_that_is_not_taken_is_no_matter_of_shapes(tmp_path: Path) -> None:
    @tf.function
    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(y, [4]), x * 2.0)

    failure, _ = answer_of(lambda: step(X, tf.ones([2, 2])), tmp_path)
    assert "DataType float32 not in list of allowed values" in failure["lead"]
    (beginning,) = failure["beginnings"]
    assert (beginning["what"], beginning["explanation"]) == ("dtype", "it came in from Python with float32")
    assert "tf.ones([2, 2])" in beginning["source"]["text"]


def test_a_constant_operand_is_told_that_nothing_recorded(tmp_path: Path) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 10])])
    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(tf.concat([x, x], 1), [-1, 7])

    failure, text = answer_of(lambda: step(tf.ones([4, 10])), tmp_path)
    shape = failure["inputs"][1]
    assert (shape["dtype"], shape["shape"], shape["elements"]) == ("int32", [2], "[-1, 7]")
    assert "[-1, 7]" in text
