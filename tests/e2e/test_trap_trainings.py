"""The trap on the ways in which trainings are written: accumulated gradients, single batches, own steps, replicas."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.capture.reader import open_capture
from tests import programs

BAD = 21
"""The bad row: of batches of 4 the sixth has it."""


def data(bad: int | None) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
    y = x.sum(1, keepdims=True)
    if bad is not None:
        x[bad, 1] = np.inf
    return x, y


class OwnStep(keras.Model):  # type: ignore[misc]
    """A model with a training step of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(1)
        self.seen = self.add_weight(shape=(), initializer="zeros", trainable=False, name="seen")

    def call(self, x: Any) -> Any:
        return self.dense(x)

    def train_step(self, batch: Any) -> dict[str, Any]:
        x, y = batch
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        weights = self.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)
        self.seen.assign_add(1.0)
        return {"loss": loss}


def plain_model() -> Any:
    return keras.Sequential([keras.layers.Dense(3), keras.layers.BatchNormalization(), keras.layers.Dense(1)])


def fitted(model: Any, x: Any, y: Any) -> None:
    model.fit(x, y, batch_size=4, verbose=0, shuffle=False)


def batch_by_batch(model: Any, x: Any, y: Any) -> None:
    for i in range(0, len(x), 4):
        model.train_on_batch(x[i : i + 4], y[i : i + 4])


Make = Callable[[], Any]
TRAININGS: dict[str, tuple[Make, dict[str, Any], Callable[[Any, Any, Any], None]]] = {
    "accumulated": (plain_model, {"optimizer": keras.optimizers.Adam(gradient_accumulation_steps=3)}, fitted),
    "batch by batch": (plain_model, {"optimizer": "adam"}, batch_by_batch),
    "own step": (OwnStep, {"optimizer": "adam"}, fitted),
    "several steps at once": (plain_model, {"optimizer": "adam", "steps_per_execution": 4}, fitted),
    "moving averages": (plain_model, {"optimizer": keras.optimizers.SGD(use_ema=True, clipnorm=1.0)}, fitted),
    "eager": (plain_model, {"optimizer": "adam", "run_eagerly": True}, fitted),
}


def trained(name: str, x: np.ndarray, y: np.ndarray) -> Any:
    make, options, train = TRAININGS[name]
    keras.utils.set_random_seed(0)
    model = make()
    if not isinstance(options["optimizer"], str):
        options = {**options, "optimizer": type(options["optimizer"]).from_config(options["optimizer"].get_config())}
    model.compile(loss="mse", jit_compile=False, **options)
    model(np.zeros((4, 4), np.float32))
    train(model, x, y)
    return model


def state(model: Any) -> list[bytes]:
    return [np.asarray(each).tobytes() for each in (*model.variables, *model.optimizer.variables)]


@pytest.mark.parametrize("name", TRAININGS)
def test_a_batch_that_is_left_out_might_as_well_not_be_there(name: str, tmp_path: Path) -> None:
    x, y = data(None)
    without = trained(name, np.delete(x, slice(20, 24), 0), np.delete(y, slice(20, 24), 0))
    with tensordbg.trap(tmp_path, "skip") as trap:
        model = trained(name, *data(BAD))
    assert len(trap.captures) == 1
    capture = open_capture(trap.captures[0])
    np.testing.assert_array_equal(
        capture.batch().get(0, next(iter(capture.elements().values()), None)), data(BAD)[0][20:24]
    )
    assert state(model)[: len(model.weights)] == state(without)[: len(without.weights)]
    assert state(model)[len(model.variables) :] == state(without)[len(without.variables) :]


def test_gradients_that_are_gathered_by_hand(tmp_path: Path) -> None:
    kernel, gathered = tf.Variable([1.0, 1.0]), tf.Variable([0.0, 0.0])

    @tf.function
    def gather(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.math.log(x * kernel))
        gathered.assign_add(tape.gradient(loss, kernel))

    @tf.function
    def update() -> None:
        kernel.assign_sub(0.1 * gathered)
        gathered.assign(tf.zeros(2))

    with tensordbg.trap(tmp_path, "skip") as trap:
        for x in ([1.0, 2.0], [0.0, 1.0], [3.0, 4.0]):
            gather(tf.constant(x))
        assert gathered.numpy().tolist() == [2.0, 2.0]
        update()
    assert len(trap.captures) == 1
    np.testing.assert_allclose(kernel.numpy(), [0.8, 0.8])


MIRRORED = """
import sys
import keras
import numpy as np
import tensorflow as tf
import tensordbg

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
x = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
y = x.sum(1, keepdims=True)
bad = x.copy()
bad[21] = np.nan

def fitted(x, y):
    with strategy.scope():
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1)])
        model.compile("adam", "mse", jit_compile=False)
    model.fit(x, y, batch_size=8, verbose=0, shuffle=False)
    return model

def looped(x, y):
    with strategy.scope():
        kernel = tf.Variable(tf.ones((4, 1)))

    @tf.function
    def step(x, y):
        def replica(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ kernel - y) ** 2)
            gradient = tf.distribute.get_replica_context().all_reduce("SUM", tape.gradient(loss, kernel))
            kernel.assign_sub(0.01 * gradient)
            return loss
        return strategy.run(replica, args=(x, y))

    for i in range(0, len(x), 8):
        parts = [strategy.experimental_distribute_values_from_function(
            lambda c, a=a: tf.constant(a[i + 4 * c.replica_id_in_sync_group:][:4])) for a in (x, y)]
        step(*parts)
    return kernel

def values(trained):
    if isinstance(trained, keras.Model):
        return [np.asarray(each) for each in trained.weights] + [np.asarray(v) for v in trained.optimizer.variables]
    return [each.numpy() for each in strategy.experimental_local_results(trained)]

for train in (fitted, looped):
    without = values(train(np.delete(x, slice(16, 24), 0), np.delete(y, slice(16, 24), 0)))
    with tensordbg.trap(sys.argv[1], "skip") as trap:
        found = values(train(bad, y))
    print(len(trap.captures), all(a.tobytes() == b.tobytes() for a, b in zip(found, without, strict=True)))
"""


def test_all_replicas_leave_a_step_out_together(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(MIRRORED))
    done = programs.run(
        [sys.executable, str(program), str(tmp_path / "captures")], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == ["1 True", "1 True"], done.stderr[-3000:]
