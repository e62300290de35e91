"""The layers of real Keras models: what is recorded of their outputs is what they compute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.graphs.layers import Layer

ROWS = np.random.default_rng(1).normal(size=(16, 6)).astype(np.float32)


class Attention(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__(name="attention")
        self.heads = keras.layers.MultiHeadAttention(2, 3, name="heads")
        self.norm = keras.layers.LayerNormalization(name="norm")

    def call(self, x: Any) -> Any:
        return self.norm(x + self.heads(x, x))


class Model(keras.Model):
    """Subclassed, with a layer of one's own and a recurrent one."""

    def __init__(self) -> None:
        super().__init__(name="model")
        self.attention = Attention()
        self.memory = keras.layers.LSTM(4, name="memory")
        self.out = keras.layers.Dense(1, name="out")

    def call(self, x: Any) -> Any:
        return self.out(self.memory(self.attention(x)))


def layers_of(program: Callable[[], object], folder: Path) -> dict[str, Layer]:
    with tensordbg.record(folder) as recording:
        program()
    return {layer.path: layer for layer in tensordbg.open(recording.path).layers()}


@pytest.mark.parametrize("way", ["predict", "eager", "function"])
def test_outputs_are_those_of_the_layers(tmp_path: Path, way: str) -> None:
    model = keras.Sequential(
        [keras.layers.Dense(5, activation="relu", name="first"), keras.layers.Dense(2, name="second")], name="whole"
    )
    first = model.layers[0]
    model(ROWS)
    ways = {
        "predict": lambda: model.predict(ROWS, batch_size=16, verbose=0),
        "eager": lambda: model(ROWS),
        "function": lambda: tf.function(model)(tf.constant(ROWS)),
    }
    layers = layers_of(ways[way], tmp_path / "trace")
    assert list(layers) == ["whole", "whole/first", "whole/second"]
    for path, expected in (("whole/first", first(ROWS)), ("whole", model(ROWS))):
        (output,) = layers[path].outputs
        health = output.last.health
        assert health is not None
        values = np.asarray(expected)
        assert (output.last.shape, health.zero) == (values.shape, int((values == 0).sum()))
        computed = [values.min(), values.mean(), values.max()]
        np.testing.assert_allclose([health.min, health.mean, health.max], computed, rtol=1e-4)
    assert "MatMul" in {tensor.last.op_type for tensor in layers["whole/first"].inner}


@pytest.mark.parametrize("eagerly", [False, True])
def test_training_of_a_subclassed_model(tmp_path: Path, eagerly: bool) -> None:
    def program() -> None:
        model = Model()
        model.compile("sgd", "mse", run_eagerly=eagerly)
        model.fit(ROWS.reshape(16, 3, 2), ROWS[:, :1], batch_size=4, epochs=2, verbose=0)

    layers = layers_of(program, tmp_path / "trace")
    assert [path for path in layers if path.count("/") <= 1] == [
        "model",
        "model/attention",
        "model/memory",
        "model/out",
    ]
    assert {"model/attention/heads", "model/attention/norm"} <= set(layers)
    (output,) = layers["model/out"].outputs
    assert (output.events, output.last.shape, output.non_finite) == (8, (4, 1), 0)
    assert [event.step for event in output.history()] == list(range(8))
    recurrent = {tensor.last.op_type for path in layers if "memory" in path for tensor in layers[path].inner}
    assert "Tanh" in recurrent


def test_custom_training_step_and_a_layer_that_goes_wrong(tmp_path: Path) -> None:
    class Stepping(keras.Model):
        def __init__(self) -> None:
            super().__init__(name="stepping")
            self.dense = keras.layers.Dense(1, name="dense")
            self.log = keras.layers.Activation(tf.math.log, name="log")

        def call(self, x: Any) -> Any:
            return self.log(self.dense(x))

        def train_step(self, data: Any) -> dict[str, Any]:
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss}

    def program() -> None:
        model = Stepping()
        model.compile("sgd", jit_compile=False)
        model.fit(np.zeros_like(ROWS), ROWS[:, :1], batch_size=8, verbose=0)

    layers = layers_of(program, tmp_path / "trace")
    (log,) = layers["stepping/log"].outputs
    assert (log.events, log.non_finite) == (2, 2)
    assert layers["stepping/dense"].outputs[0].history()[0].health.non_finite == 0  # type: ignore[union-attr]
