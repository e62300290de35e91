"""Keras in all the ways it trains: fit with everything, custom steps, subclasses, recurrent and attention layers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.programs.checking import Program, check


@pytest.fixture(autouse=True)
def graphs_as_they_are() -> Iterator[None]:
    """Runs graphs as Python built them: operations that are fused, which those looked at are not, round otherwise."""
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    yield
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})


Numbers = np.ndarray[Any, Any]


def rows(count: int = 16, width: int = 4) -> tuple[Numbers, Numbers]:
    generator = np.random.default_rng(2)
    return generator.normal(size=(count, width)).astype(np.float32), generator.integers(0, 3, count)


def logarithm_of_probabilities(labels: tf.Tensor, probs: tf.Tensor) -> tf.Tensor:
    return -tf.reduce_mean(tf.math.log(tf.gather(probs, tf.cast(labels, tf.int32)[:, 0], batch_dims=1)))


def fit_with_everything() -> object:
    keras.utils.set_random_seed(1)
    inputs = keras.Input((4,))
    hidden = keras.layers.Dropout(0.2)(keras.layers.BatchNormalization()(keras.layers.Dense(8, "relu")(inputs)))
    model = keras.Model(inputs, keras.layers.Dense(3, "softmax")(hidden))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"], steps_per_execution=2)
    x, y = rows()
    stop = keras.callbacks.EarlyStopping(patience=1, restore_best_weights=True)
    weights = {0: 1.0, 1: 2.0, 2: 0.5}
    history = model.fit(
        x, y, batch_size=4, epochs=2, verbose=0, validation_split=0.25, callbacks=[stop], class_weight=weights
    )
    return history.history, model.get_weights(), model.evaluate(x, y, verbose=0), model.predict(x, verbose=0)


def run_eagerly() -> object:
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, "softmax")])

    def loss(labels: tf.Tensor, probs: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(tf.math.log(probs - probs))  # HERE

    model.compile("sgd", loss, run_eagerly=True)
    x, y = rows(4)
    return model.fit(x, y, batch_size=2, verbose=0).history


def custom_train_step() -> object:
    keras.utils.set_random_seed(1)

    class Model(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(3)

        def call(self, x: tf.Tensor) -> tf.Tensor:
            return self.dense(x)

        def train_step(self, data: tuple[tf.Tensor, tf.Tensor]) -> dict[str, tf.Tensor]:
            x, _ = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.sqrt(self(x, training=True)))  # HERE
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss}

    model = Model()
    model.compile("sgd")
    x, y = rows(8)
    return model.fit(x, y, batch_size=4, verbose=0).history, model.get_weights()


def custom_layer_and_loop() -> object:
    keras.utils.set_random_seed(1)

    class Share(keras.layers.Layer):
        def build(self, shape: tuple[int, ...]) -> None:
            self.scale = self.add_weight(shape=(shape[-1],), initializer="ones", name="scale")

        def call(self, x: tf.Tensor) -> tf.Tensor:
            total = tf.reduce_sum(tf.nn.relu(x), axis=-1, keepdims=True)
            return self.scale * tf.nn.relu(x) / total  # HERE

    model = keras.Sequential([Share(), keras.layers.Dense(1, kernel_initializer="ones")])
    optimizer = keras.optimizers.SGD(0.1)

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    batches = [[[1.0, 2.0]], [[-1.0, -2.0]], [[1.0, 2.0]]]
    model(tf.constant(batches[0]))
    return [step(tf.constant(batch)) for batch in batches], model.get_weights()


def recurrent(layer: str, **options: Any) -> Program:
    def program() -> object:
        keras.utils.set_random_seed(1)
        model = keras.Sequential(
            [keras.Input((3, 2)), getattr(keras.layers, layer)(4, **options), keras.layers.Dense(3, "softmax")]
        )
        model.compile("sgd", logarithm_of_probabilities)
        x = np.random.default_rng(1).normal(size=(6, 3, 2)).astype(np.float32)
        history = model.fit(x, np.array([[0], [1], [2]] * 2), batch_size=3, shuffle=False, verbose=0)
        return history.history, model.get_weights(), model.predict(x, verbose=0)

    program.__name__ = "_".join([layer, *options])
    return program


def recurrent_with_a_bad_step() -> object:
    keras.utils.set_random_seed(1)

    def activation(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(tf.nn.relu(x))  # HERE

    model = keras.Sequential([keras.Input((3, 1)), keras.layers.SimpleRNN(2, activation=activation)])
    return model.predict(np.ones((1, 3, 1), np.float32), verbose=0)


def attention() -> object:
    keras.utils.set_random_seed(1)
    inputs = keras.Input((4, 8))
    mixed = keras.layers.MultiHeadAttention(2, 4)(inputs, inputs, use_causal_mask=True)
    mixed = keras.layers.LayerNormalization()(mixed + inputs)
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.GlobalAveragePooling1D()(mixed)))
    model.compile("adam", "mse")
    x = np.random.default_rng(1).normal(size=(6, 4, 8)).astype(np.float32)
    return model.fit(x, x[:, 0, :1], batch_size=3, shuffle=False, verbose=0).history, model.predict(x, verbose=0)


def convolution_and_embedding() -> object:
    keras.utils.set_random_seed(1)
    image, word = keras.Input((8, 8, 1)), keras.Input((3,), dtype="int32")
    seen = keras.layers.Flatten()(keras.layers.MaxPooling2D()(keras.layers.Conv2D(2, 3, activation="relu")(image)))
    read = keras.layers.GlobalMaxPooling1D()(keras.layers.Embedding(10, 4)(word))
    model = keras.Model([image, word], keras.layers.Dense(1)(keras.layers.concatenate([seen, read])))
    model.compile("rmsprop", "mae")
    generator = np.random.default_rng(1)
    x = [generator.normal(size=(4, 8, 8, 1)).astype(np.float32), generator.integers(0, 10, (4, 3))]
    return model.fit(
        x, np.ones((4, 1), np.float32), batch_size=2, shuffle=False, verbose=0
    ).history, model.get_weights()


def mixed_precision() -> object:
    keras.utils.set_random_seed(1)
    policy = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
    try:
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        x, _ = rows(8)
        return model.fit(x, x[:, :1], batch_size=4, shuffle=False, verbose=0).history, model.get_weights()
    finally:
        keras.mixed_precision.set_dtype_policy(policy)


def plain_module() -> object:
    class Scale(tf.Module):
        def __init__(self) -> None:
            super().__init__(name="scale")
            self.weight = tf.Variable([2.0, 0.0], name="weight")

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def __call__(self, x: tf.Tensor) -> tf.Tensor:
            return x / self.weight  # HERE

    module = Scale()
    return module(tf.ones([1, 2])), module(tf.ones([3, 2]))


PROGRAMS: list[Program] = [
    run_eagerly,
    custom_train_step,
    custom_layer_and_loop,
    recurrent_with_a_bad_step,
    plain_module,
    fit_with_everything,
    attention,
    convolution_and_embedding,
    mixed_precision,
    recurrent("LSTM"),
    recurrent("LSTM", unroll=True),
    recurrent("GRU"),
    recurrent("GRU", unroll=True, reset_after=False),
    recurrent("SimpleRNN"),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_same_bits_and_the_guilty_line(tmp_path: Path, program: Program) -> None:
    check(program, tmp_path)
