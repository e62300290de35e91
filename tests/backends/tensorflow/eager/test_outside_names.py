"""Variables that a graph reads bear the names that the program's text has for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.internals import resource_variable_ops
from tests.backends.tensorflow.recorded import record, scalars, shown


class Module(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable([2.0])
        self.parts = {"b": tf.Variable([3.0])}
        self.many = [tf.Variable([4.0]), tf.Variable([5.0])]

    @tf.function
    def __call__(self, x: Any) -> Any:
        y = x * self.w + self.parts["b"]
        for each in self.many:
            y = y + each
        return y * self.many[1]


class Layer(keras.layers.Layer):
    def build(self, _: Any) -> None:
        self.kernel = self.add_weight(shape=(1, 1), initializer="ones", name="of_another_name")

    def call(self, inputs: Any) -> Any:
        return keras.ops.matmul(inputs, self.kernel)


def test_of_modules_dicts_lists_and_layers(tmp_path: Path) -> None:
    model, params = Module(), {"w": [tf.Variable(7.0)]}
    layer = Layer()
    layer.build((1, 1))

    @tf.function
    def other(x: Any) -> Any:
        return layer(x * params["w"][0] + model.w)

    def program() -> None:
        model(tf.constant([1.0]))
        other(tf.constant([[1.0]]))

    values = shown(tmp_path, program)
    assert (values("self.w"), values("model.w")) == ([2], [2])
    assert values("self.parts['b']") == [3]
    assert sorted(values("each")) == [4, 5]
    assert set(values("self.many[1]")) == {5}
    assert values("params['w'][0]") == [7]
    assert values("self.kernel") == [1]


def test_the_program_computes_the_same_and_the_hook_goes(tmp_path: Path) -> None:
    before = resource_variable_ops.BaseResourceVariable._read_variable_op
    model = Module()
    reader = record(tmp_path, lambda: np.testing.assert_allclose(Module()(tf.constant([1.0])), [70.0])).reader
    assert resource_variable_ops.BaseResourceVariable._read_variable_op is before
    assert scalars(reader, "y")[-1] == 14
    assert model(tf.constant([1.0])).numpy().tolist() == [70.0]


def test_eager_reads_of_what_keras_holds(tmp_path: Path) -> None:
    layer = Layer()
    layer.build((1, 1))
    reader = record(tmp_path, lambda: layer(np.ones((1, 1), np.float32))).reader
    assert scalars(reader, "self.kernel") == [1]
