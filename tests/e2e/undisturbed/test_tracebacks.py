"""An error of TensorFlow's is told in the same words and with the same traceback, whoever looks on."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.check.checking import disable_check_numerics, enable_check_numerics

LABELS = [0, 1, 7, 2]


def loss_of(logits: tf.Tensor) -> tf.Tensor:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(LABELS, logits)


def called_function() -> None:
    @tf.function
    def inner(logits: tf.Tensor) -> tf.Tensor:
        return loss_of(logits)

    @tf.function
    def outer(logits: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(inner(logits * 2.0))

    outer(tf.ones([4, 3]))


def loop_in_a_training_step() -> None:
    weight, count = tf.Variable(tf.ones([4, 3])), tf.Variable(0.0)

    @tf.function
    def step(turns: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight)
        gradient = tape.gradient(loss, weight)
        for turn in tf.range(turns):
            # What a loop writes is gated by a trap.
            count.assign_add(tf.gather(tf.range(3.0), turn * 5))
        weight.assign_sub(gradient)

    step(tf.constant(3))


def branch() -> None:
    @tf.function
    def chosen(logits: tf.Tensor, number: tf.Tensor) -> tf.Tensor:
        return loss_of(logits) if number > 2 else tf.zeros([4])

    chosen(tf.ones([4, 3]), tf.constant(3))


@tf.custom_gradient
def twice(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    def gradient(upstream: tf.Tensor) -> tf.Tensor:
        return tf.gather(upstream, tf.cast(upstream[0] * 100, tf.int32)) + upstream

    return x * 2, gradient


def gradient_of_a_function() -> None:
    weight = tf.Variable(tf.ones([3]))

    @tf.function
    def forward() -> tf.Tensor:
        return tf.reduce_sum(twice(weight))

    with tf.GradientTape() as tape:
        loss = forward()
    tape.gradient(loss, weight)


def keras_fit() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(np.ones([4, 2], "f"), np.array(LABELS), verbose=0, shuffle=False)


def eager_keras_fit() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), run_eagerly=True)
    model.fit(np.ones([4, 2], "f"), np.array(LABELS), verbose=0, shuffle=False)


def layer_of_the_user() -> None:
    class Refusing(tf.keras.layers.Layer):
        def call(self, x: tf.Tensor) -> tf.Tensor:
            raise ValueError("no")

    tf.keras.Sequential([Refusing()])(tf.ones([3, 5]))


def eager_operation() -> None:
    tf.matmul(tf.ones([4, 3]), tf.ones([4, 3]))


def eager_tape() -> None:
    weight = tf.Variable(tf.ones([3]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(twice(weight))
    tape.gradient(loss, weight)


def session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as running:
        given = tf.compat.v1.placeholder(tf.float32, [4, 3])
        running.run(loss_of(given * 2.0), {given: np.ones([4, 3])})


def while_it_is_traced() -> None:
    @tf.function
    def grows(x: tf.Tensor, turns: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(turns):
            x = tf.concat([x, x], 0)
        return x

    grows(tf.ones([4, 3]), tf.constant(2))


def chained() -> None:
    try:
        loss_of(tf.ones([4, 3]))
    except tf.errors.InvalidArgumentError as error:
        raise RuntimeError("a label is wrong") from error


PROGRAMS = (
    called_function, loop_in_a_training_step, branch, gradient_of_a_function, keras_fit, eager_keras_fit,
    layer_of_the_user, eager_operation, eager_tape, session, while_it_is_traced, chained,
)  # fmt: skip


@contextlib.contextmanager
def recorded(folder: Path) -> Iterator[None]:
    with tensordbg.record(folder):
        yield


@contextlib.contextmanager
def checked(_: Path) -> Iterator[None]:
    enable_check_numerics()
    try:
        yield
    finally:
        disable_check_numerics()


@contextlib.contextmanager
def trapped(folder: Path) -> Iterator[None]:
    with tensordbg.trap(folder):
        yield


@contextlib.contextmanager
def plain(_: Path) -> Iterator[None]:
    yield


LOOKING = (plain, recorded, checked, trapped, plain)
"""The last time functions may have been looked at before."""


def told(program: Callable[[], None]) -> tuple[str, list[tuple[str, int | None, str]]]:
    """What is said of the error that a program ends with, and all frames of it and of those that it came from."""
    tf.keras.backend.clear_session()
    try:
        program()
    except Exception as error:  # noqa: BLE001  whatever it is
        return without_numbers(str(error)), list(frames(error))
    raise AssertionError(f"{program.__name__} has gone well")


def frames(error: BaseException | None) -> Iterator[tuple[str, int | None, str]]:
    while error is not None:
        for frame in traceback.extract_tb(error.__traceback__):
            yield without_numbers(frame.filename), frame.lineno, frame.name
        yield type(error).__name__, 0, ""
        error = error.__cause__ or error.__context__


def without_numbers(text: str) -> str:
    """TensorFlow counts the names of functions and of generated files."""
    return re.sub(r"__autograph_generated_file\w+|_\d+", "_", text)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_an_error_is_told_as_it_is_without_us(program: Callable[[], None], tmp_path: Path) -> None:
    # What AutoGraph has met once it treats in another way.
    with contextlib.suppress(Exception):
        program()
    answers = []
    for looking in LOOKING:
        with looking(tmp_path):
            answers.append(told(program))
    assert "<stack traces unavailable>" not in answers[0][0]
    for looking, answer in zip(LOOKING, answers, strict=True):
        assert answer == answers[0], looking.__name__


def test_a_function_that_was_traced_before_tells_its_lines_during_and_after(tmp_path: Path) -> None:
    @tf.function
    def loss(logits: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

    loss(tf.ones([4, 3]), tf.constant([0, 0, 0, 0]))
    answers = []
    for looking in LOOKING:
        with looking(tmp_path):
            answers.append(told(lambda: loss(tf.ones([4, 3]), tf.constant(LABELS))))
    assert f'{Path(__file__).name}", line ' in answers[0][0]
    assert answers == [answers[0]] * len(LOOKING)


def test_a_program_that_wants_all_frames_sees_ours_too(tmp_path: Path) -> None:
    tf.debugging.disable_traceback_filtering()
    try:
        with recorded(tmp_path):
            _, seen = told(eager_operation)
    finally:
        tf.debugging.enable_traceback_filtering()
    assert any(file.endswith("eager/recording.py") for file, _, _ in seen)


PROGRAM = """\
import tensorflow as tf

@tf.function
def loss(logits, labels):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

loss(tf.ones([4, 3]), tf.constant([0, 1, 7, 2]))
"""


@pytest.mark.parametrize("command", [["run"], ["run", "--check"], ["trap"]], ids=" ".join)
def test_a_program_ends_with_the_traceback_it_has_without_us(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    wanted = ended([sys.executable, "program.py"], tmp_path)
    got = ended([sys.executable, "-m", "tensordbg", *command, "program.py"], tmp_path)
    assert got[0] == wanted[0] == 1
    assert "line 5, in loss\n" in wanted[1]
    assert wanted[1] in got[1]


def ended(command: list[str], folder: Path) -> tuple[int, str]:
    """The exit code, and what standard error said from the traceback on, up to the last of the error's own lines."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    _, found, rest = done.stderr.partition("Traceback (most recent call last):\n")
    assert found, done.stderr
    return done.returncode, without_numbers(rest)
