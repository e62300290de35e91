"""Real programs whose functions are traced again and again: `why` must name the argument; healthy ones alert nothing.

The call that brings it about is marked with `# HERE`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json

Program = Callable[[], object]


def alerts_of(program: Program, folder: Path) -> list[dict[str, Any]]:
    with tensordbg.record(folder) as recording:
        program()
    found: list[dict[str, Any]] = why_to_json(tensordbg.open(recording.path).why())["alerts"]
    return found


def one_alert(program: Program, folder: Path) -> dict[str, Any]:
    (alert,) = alerts_of(program, folder)
    lines, first = inspect.getsourcelines(program)
    (marked,) = [first + k for k, line in enumerate(lines) if "# HERE" in line]
    assert (alert["kind"], alert["source"]["file"], alert["source"]["line"]) == ("retracing", __file__, marked)
    return alert


def test_python_numbers(tmp_path: Path) -> None:
    def program() -> None:
        @tf.function
        def scaled(x: tf.Tensor, factor: Any, training: bool = False) -> tf.Tensor:
            return x * factor if training else x

        for step in range(8):
            scaled(tf.ones([2]), step, training=True)  # HERE

    alert = one_alert(program, tmp_path / "trace")
    assert alert["function"] == "scaled"
    assert alert["evidence"]["traces"] == 8
    assert (alert["evidence"]["argument"], alert["evidence"]["changed"]) == ("factor", "Python value")


def test_shapes_inside_a_structure_and_of_a_tensor(tmp_path: Path) -> None:
    def program() -> None:
        class Model(tf.Module):
            @tf.function
            def __call__(self, batch: tf.Tensor) -> tf.Tensor:
                return tf.reduce_sum(batch)

        model = Model()
        for size in range(1, 8):
            model(tf.ones([size, 3]))  # HERE

    alert = one_alert(program, tmp_path / "trace")
    assert (alert["evidence"]["argument"], alert["evidence"]["changed"]) == ("batch", "shape")
    assert alert["evidence"]["values"][:2] == ["float32[1, 3]", "float32[2, 3]"]


def test_a_new_object_each_time(tmp_path: Path) -> None:
    class Settings:
        rate = 0.5

    def program() -> None:
        @tf.function
        def step(x: tf.Tensor, settings: Settings) -> tf.Tensor:
            return x * settings.rate

        for _ in range(7):
            step(tf.ones([2]), Settings())  # HERE

    alert = one_alert(program, tmp_path / "trace")
    assert (alert["evidence"]["argument"], alert["evidence"]["changed"]) == ("settings", "object")


def test_a_new_function_each_time(tmp_path: Path) -> None:
    def program() -> None:
        for _ in range(7):
            double = tf.function(lambda x: x * 2.0)
            double(tf.ones([2]))  # HERE

    alert = one_alert(program, tmp_path / "trace")
    assert "a new traced function is made" in alert["explanation"]


def test_one_python_function_wrapped_each_time(tmp_path: Path) -> None:
    def program() -> None:
        def double(x: tf.Tensor) -> tf.Tensor:
            return x * 2.0

        for _ in range(7):
            tf.function(double)(tf.ones([2]))  # HERE

    alert = one_alert(program, tmp_path / "trace")
    assert "a new traced function is made" in alert["explanation"]


def test_shapes_given_to_keras(tmp_path: Path) -> None:
    def program() -> None:
        model = keras.Sequential([keras.layers.Conv1D(2, 1), keras.layers.GlobalAveragePooling1D()])
        call = tf.function(model)
        for size in range(1, 8):
            call(tf.ones([2, size, 3]))  # HERE

    alert = one_alert(program, tmp_path / "trace")
    assert alert["evidence"]["changed"] == "shape"


def test_healthy_programs_have_no_alerts(tmp_path: Path) -> None:
    class Layer(tf.Module):
        def __init__(self, units: int) -> None:
            self.units = units
            self.kernel: tf.Variable | None = None

        @tf.function
        def __call__(self, x: tf.Tensor) -> tf.Tensor:
            if self.kernel is None:
                self.kernel = tf.Variable(tf.ones([x.shape[-1], self.units]))
            return tf.matmul(x, self.kernel)

    def program() -> None:
        layers = [Layer(units) for units in range(2, 10)]
        for _ in range(3):
            with tf.GradientTape() as tape:
                x = tf.ones([4, 3])
                for layer in layers:
                    x = layer(x)
                loss = tf.reduce_sum(x)
            tape.gradient(loss, [layer.kernel for layer in layers])

        for units in range(7):
            model = keras.Sequential([keras.layers.Dense(units + 1), keras.layers.Dense(1)])
            model.compile("adam", "mse")
            rows = np.ones((10, 3), np.float32)
            model.fit(rows, rows[:, :1], batch_size=4, epochs=2, verbose=0)
            model.predict(rows, verbose=0)

    assert alerts_of(program, tmp_path / "trace") == []
