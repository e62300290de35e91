"""Shapes that do not fit while a model of Keras is put together: the layers, and the lines where they were called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import keras
import pytest
from keras import layers

from tests.e2e.test_failure_beginnings import answer_of, line_of


def a_sum_of_convolutions() -> None:
    image = keras.Input((8, 8, 16))
    one = layers.Conv2D(16, 3)(image)
    other = layers.Conv2D(32, 3)(image)  # HERE
    layers.Add()([one, other])


def an_operator() -> None:
    given = keras.Input((10,))
    one = layers.Dense(4)(given)  # HERE
    other = layers.Dense(5)(given)
    one + other


def a_skip_connection() -> None:
    image = keras.Input((28, 28, 1))
    before = layers.Conv2D(8, 3, padding="same")(image)
    small = layers.MaxPooling2D()(before)
    large = layers.UpSampling2D(3)(small)  # HERE
    layers.Concatenate()([before, layers.Activation("relu")(large)])


def a_reshape() -> None:
    flat = layers.Flatten()(keras.Input((28, 28)))
    few = layers.Dense(16)(flat)  # HERE
    layers.Reshape((5, 5))(few)


def a_memory_of_no_steps() -> None:
    words = layers.Embedding(100, 8)(keras.Input((20,)))
    mean = layers.GlobalAveragePooling1D()(words)  # HERE
    layers.LSTM(4)(layers.Dropout(0.1)(mean))


def a_product_of_keras_operations() -> None:
    given = keras.Input((20, 8))
    turned = layers.Permute((2, 1))(given)
    product = keras.ops.matmul(turned, layers.Dense(3)(given))  # HERE
    keras.ops.matmul(product, product)


def layers_in_a_row() -> None:
    parts = [keras.Input((8, 8, 3)), layers.Conv2D(4, 3), layers.Flatten(), layers.Conv2D(4, 3)]
    keras.Sequential(parts)  # HERE


CASES: list[tuple[Callable[[], None], str, list[list[int]]]] = [
    (a_sum_of_convolutions, "made [?, 6, 6, 32] of [?, 8, 8, 16]", [[-1, 6, 6, 16], [-1, 6, 6, 32]]),
    (an_operator, "made [?, 4] of [?, 10]", [[-1, 4], [-1, 5]]),
    (a_skip_connection, "made [?, 42, 42, 8] of [?, 14, 14, 8]", [[-1, 28, 28, 8], [-1, 42, 42, 8]]),
    (a_reshape, "made [?, 16] of [?, 784]", [[-1, 16]]),
    (a_memory_of_no_steps, "made [?, 8] of [?, 20, 8]", [[-1, 8]]),
    (a_product_of_keras_operations, "made [?, 8, 3] of [?, 8, 20] and [?, 20, 3]", [[-1, 8, 3]]),
    (layers_in_a_row, "made [?, 144] of [?, 6, 6, 4]", [[-1, 144]]),
]


@pytest.mark.parametrize(("program", "said", "shapes"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_layer_that_made_the_shape_is_told_with_its_line(
    program: Callable[[], None], said: str, shapes: list[list[int]], tmp_path: Path
) -> None:
    failure, text = answer_of(program, tmp_path)
    began = failure["beginnings"][0]
    assert (began["what"], began["source"]["line"]) == ("shape", line_of(program))
    assert said in began["explanation"]
    assert said in " ".join(text.split())
    assert [each["shape"] for each in failure["inputs"]] == shapes


def test_the_sentence_says_what_was_wrong_and_not_that_a_call_was(tmp_path: Path) -> None:
    class Block(layers.Layer):
        def call(self, x: keras.KerasTensor) -> keras.KerasTensor:
            return keras.ops.add(x[:, :3], x)

    failure, _ = answer_of(lambda: Block()(keras.Input((5,))), tmp_path / "own")
    assert ": Dimensions must be equal, but are 3 and 5" in failure["lead"]
    failure, _ = answer_of(a_reshape, tmp_path / "layer")
    assert ": The total size of the tensor must be unchanged" in failure["lead"]
