"""What is said to have reached the loss is what the program differentiates, however its scalars are called and ordered.

Each program marks the line of the loss with `# LOSS`, and that of something else that is bad with `# OTHER`.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.finding import Origin

v1 = tf.compat.v1
Program = Callable[[], object]


def metric_first() -> None:
    w = tf.Variable([0.0, 1.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            metric = tf.reduce_sum(w / tf.reduce_min(tf.abs(w)))  # OTHER
            loss = tf.reduce_sum(tf.math.log(w))  # LOSS
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss, metric

    step()


def eager_metric_that_is_printed() -> None:
    w = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        metric = tf.reduce_sum(w / tf.reduce_min(tf.abs(w)))  # OTHER
        str(metric)
        loss = tf.reduce_sum(tf.math.log(w))  # LOSS
    w.assign_sub(0.1 * tape.gradient(loss, w))


def eager_tape_around_a_function() -> None:
    w, v = tf.Variable([0.0, 1.0]), tf.Variable([0.0, 1.0], trainable=False)

    @tf.function
    def forward() -> Any:
        metric = tf.reduce_sum(1.0 / tf.stop_gradient(v))  # OTHER
        return metric, tf.reduce_sum(tf.math.log(w))  # LOSS

    with tf.GradientTape() as tape:
        _, loss = forward()
    w.assign_sub(0.1 * tape.gradient(loss, w))


def session() -> None:
    with tf.Graph().as_default(), v1.Session() as running:
        w = v1.get_variable("w", initializer=np.array([0.0, 1.0], np.float32))
        metric = tf.reduce_sum(w / tf.reduce_min(tf.abs(w)))  # OTHER
        loss = tf.reduce_sum(tf.math.log(w))  # LOSS
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        running.run(v1.global_variables_initializer())
        running.run([metric, loss, train])


def keras_fit() -> None:
    def inverse(y: Any, out: Any) -> Any:
        return tf.reduce_mean(y / tf.reduce_min(tf.abs(y)))  # OTHER

    def loss(y: Any, out: Any) -> Any:
        return tf.reduce_mean(tf.math.log(tf.nn.relu(y * out)))  # LOSS

    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("sgd", loss, metrics=[inverse])
    model.fit(np.ones((4, 1), np.float32), np.zeros((4, 1), np.float32), verbose=0)


def line(program: Program, mark: str) -> int:
    lines, first = inspect.getsourcelines(program)
    return next(number for number, text in enumerate(lines, first) if text.rstrip().endswith(mark))


def origins_of(program: Program, folder: Path) -> list[Origin]:
    with tensordbg.record(folder) as recording:
        program()
    return tensordbg.open(recording.path).why().origins


@pytest.mark.parametrize(
    "program",
    [metric_first, eager_metric_that_is_printed, eager_tape_around_a_function, session, keras_fit],
    ids=lambda program: program.__name__,
)
def test_only_what_is_differentiated_is_a_loss(program: Program, tmp_path: Path) -> None:
    reaches = {each.place.line: each.reaches for each in origins_of(program, tmp_path) if each.place}
    assert next(iter(reaches)) == line(program, "# LOSS"), reaches
    assert "loss" in reaches[line(program, "# LOSS")]
    assert "loss" not in reaches.get(line(program, "# OTHER"), ())


def double_where_eagerly() -> None:
    w = tf.Variable([1.0, 0.0, 2.0])
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.where(w > 0, w * tf.math.log(w), 0.0))  # LOSS
        w.assign_sub(0.1 * tape.gradient(loss, w))


def test_a_gradient_behind_a_where(tmp_path: Path) -> None:
    first = origins_of(double_where_eagerly, tmp_path)[0]
    assert first.place is not None
    assert (first.place.line, first.consequential) == (line(double_where_eagerly, "# LOSS"), True)


def test_a_function_is_known_again_in_a_later_recording(tmp_path: Path) -> None:
    w, x = tf.Variable([0.0, 1.0]), tf.Variable([1.0, 1.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            metric = tf.reduce_sum(1.0 / x)
            loss = tf.reduce_sum(tf.math.log(w + x))
        tape.gradient(loss, w)
        return loss, metric

    with tensordbg.record(tmp_path / "first"):
        step()
    x.assign([0.0, 0.0])
    reaches = {each.view.op_type: each.reaches for each in origins_of(step, tmp_path / "second")}
    assert "loss" in reaches["Log"]
    assert "loss" not in reaches["RealDiv"]


def test_what_is_differentiated_for_something_else_than_a_variable_is_no_loss(tmp_path: Path) -> None:
    w = tf.Variable([1.0, 1.0])

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                inner.watch(x)
                other = tf.reduce_sum(x / tf.reduce_min(x))
            slope = inner.gradient(other, x)
            loss = tf.reduce_sum(w * tf.where(tf.math.is_finite(slope), slope, 0.0))
        w.assign_sub(tape.gradient(loss, w))
        return other

    origins = origins_of(lambda: step(tf.zeros(2)), tmp_path)
    assert origins
    assert all("loss" not in each.reaches for each in origins if each.view.op_type == "RealDiv")


SOLVER = """
import tensorflow as tf
import tensordbg

@tf.function
def solve(start):
    def body(turn, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**2 - 1.0
        return turn + 1, x - y / tape.gradient(y, x)

    return tf.while_loop(lambda turn, _: turn < 4, body, (0, start))[1]

with tensordbg.record(FOLDER) as recording:
    float(tf.reduce_mean(solve(tf.constant([3.0, 0.0]))))
(origin,) = tensordbg.open(recording.path).why().origins
print(*origin.reaches)
"""


def test_a_derivative_that_solves_an_equation_reaches_no_loss(tmp_path: Path) -> None:
    """In a process of its own, in which nothing else is trained."""
    program = SOLVER.replace("FOLDER", repr(str(tmp_path)))
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["gradient", "output"]
