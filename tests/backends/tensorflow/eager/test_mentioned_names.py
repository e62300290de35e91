"""What comes into a graph bears the names by which the program's own lines mention it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tensordbg.analysis.tensors.show import history_of
from tensordbg.backends.tensorflow.internals import constant_op, op_def_library
from tensordbg.errors import UsageError
from tests.backends.tensorflow.recorded import record, scalars, shown


class Plain(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(1, use_bias=False)

    def call(self, pixels: Any) -> Any:
        return self.dense(pixels)


class Custom(Plain):
    def train_step(self, data: Any) -> Any:
        features, labels = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(features) - labels) ** 2.0)
        self.optimizer.apply(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
        return {"loss": loss}


def _fit(model: Any) -> None:
    model.compile("sgd", "mse")
    model.fit(np.full((2, 1), 3.0, np.float32), np.full((2, 1), 7.0, np.float32), batch_size=1, verbose=0)


def _largest(reader: Any, name: str) -> list[float]:
    return [point.health.max for point in history_of(reader, name).points if point.health is not None]


def test_parameters_of_call_and_what_a_custom_train_step_unpacks(tmp_path: Path) -> None:
    plain = record(tmp_path / "plain", lambda: _fit(Plain())).reader
    assert _largest(plain, "pixels") == [3, 3]
    custom = record(tmp_path / "custom", lambda: _fit(Custom())).reader
    assert _largest(custom, "features") == _largest(custom, "pixels") == [3, 3]
    assert _largest(custom, "labels") == [7, 7]


def test_arrays_of_the_program(tmp_path: Path) -> None:
    factor, table = np.float32(2.0), {"shift": np.float32(5.0)}

    @tf.function
    def step(x: Any) -> Any:
        return x / factor + table["shift"]

    def program() -> None:
        step(tf.constant(8.0))
        for _ in tf.data.Dataset.from_tensors(6.0).map(lambda each: each - factor):
            pass

    reader = record(tmp_path, program).reader
    assert scalars(reader, "factor") == [2, 2]
    assert scalars(reader, "table['shift']") == [5]
    assert scalars(reader, "each") == [6]


class _Settings:
    rate = 0.25


def test_numbers_of_the_program_through_whatever_operator(tmp_path: Path) -> None:
    gain = 11.0

    @tf.function
    def step(x: Any, power: int) -> Any:
        return x**power + x * gain * 2.0 - x * _Settings.rate

    values = shown(tmp_path, lambda: step(tf.constant(8.0), 3))
    assert [values(name) for name in ("power", "gain", "_Settings.rate")] == [[3], [11], [0.25]]


def test_a_literal_gives_no_name(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x + 3.0

    values = shown(tmp_path, lambda: step(tf.constant(1.0)))
    with pytest.raises(UsageError, match=r"no tensor '3\.0:0'"):
        values("3.0")


def test_the_hooks_go(tmp_path: Path) -> None:
    before = constant_op._constant_impl, op_def_library._apply_op_helper
    record(tmp_path, lambda: tf.function(lambda x: x + 1.0)(1.0))
    assert (constant_op._constant_impl, op_def_library._apply_op_helper) == before
