"""The trap on real trainings: what is written, what is captured, and that a healthy program stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.trap import trapping as trap
from tensordbg.capture.reader import list_captures, open_capture
from tests.backends.tensorflow.trapped import trapping

BAD = 3
"""Which batch is bad."""


def batches(bad: int | None = BAD) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    made = [random.normal(size=(8, 4)).astype(np.float32) for _ in range(6)]
    if bad is not None:
        made[bad][5, 2] = np.nan
    return made


class KerasLoop:
    """A loop with a gradient tape and a Keras optimizer, batch normalization and dropout."""

    def __init__(self, optimizer: str = "adam") -> None:
        keras.utils.set_random_seed(0)
        self.model = keras.Sequential(
            [
                keras.layers.Dense(5),
                keras.layers.BatchNormalization(),
                keras.layers.Dropout(0.3),
                keras.layers.Dense(1),
            ]
        )
        self.model.build((None, 4))
        self.optimizer = keras.optimizers.get(optimizer)
        self.optimizer.build(self.model.trainable_variables)
        self.step = tf.function(self._step)

    def _step(self, x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.model(x, training=True) ** 2)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        return loss

    def state(self) -> list[bytes]:
        return [np.asarray(v).tobytes() for v in (*self.model.variables, *self.optimizer.variables)]


class HandWritten:
    """A loop that updates its variables itself."""

    def __init__(self) -> None:
        self.kernel = tf.Variable(tf.ones((4, 1)), name="kernel")
        self.count = tf.Variable(0, dtype=tf.int64, name="count", trainable=False)
        self.generator = tf.random.Generator.from_seed(7)
        self.step = tf.function(self._step)

    def _step(self, x: Any) -> Any:
        noise = self.generator.normal((8, 4)) * 0.1
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.matmul(x + noise, self.kernel) ** 2)
        gradient = tape.gradient(loss, self.kernel)
        self.kernel.assign_sub(0.1 * gradient)
        self.count.assign_add(1)
        return loss

    def state(self) -> list[bytes]:
        return [self.kernel.numpy().tobytes(), self.count.numpy().tobytes()]


Program = Callable[[], Any]
PROGRAMS: list[Program] = [KerasLoop, HandWritten]


def state_before_bad_batch(make: Program) -> list[bytes]:
    program = make()
    for x in batches()[:BAD]:
        program.step(tf.constant(x))
    return program.state()


def run_until_bad(make: Program, folder: Path) -> None:
    with trapping(folder):
        program = make()
        for x in batches()[:BAD]:
            program.step(tf.constant(x))
        with pytest.raises(tf.errors.InvalidArgumentError):
            program.step(tf.constant(batches()[BAD]))


@pytest.mark.parametrize("make", PROGRAMS)
def test_a_bad_step_ends_before_anything_is_written(make: Program, tmp_path: Path) -> None:
    expected = state_before_bad_batch(make)
    with trapping(tmp_path):
        program = make()
        for x in batches()[:BAD]:
            program.step(tf.constant(x))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"trap: step 3 of .*the loss is not finite \(1"):
            program.step(tf.constant(batches()[BAD]))
    assert program.state() == expected


@pytest.mark.parametrize("make", PROGRAMS)
def test_the_capture_has_the_batch_and_all_variables_as_they_were(make: Program, tmp_path: Path) -> None:
    expected = state_before_bad_batch(make)
    run_until_bad(make, tmp_path)
    (path,) = list_captures(tmp_path)
    capture = open_capture(path)
    np.testing.assert_array_equal(capture.batch()[0], batches()[BAD])
    held = [array.tobytes() for array in capture.variables().values()]
    missing = [value for value in expected if value not in held]
    # The Keras optimizer's number of steps is read where its learning rate is a schedule only.
    assert len(missing) <= (1 if make is KerasLoop else 0)
    assert {suspect.role for suspect in capture.header.trouble.suspects} == {"loss", "gradient"}
    assert capture.header.step == BAD


def test_a_random_generators_state_is_captured_as_before_the_step(tmp_path: Path) -> None:
    plain = HandWritten()
    for x in batches()[:BAD]:
        plain.step(tf.constant(x))
    run_until_bad(HandWritten, tmp_path)
    capture = open_capture(list_captures(tmp_path)[0])
    states = [array for array in capture.variables().values() if array.shape == (3,)]
    np.testing.assert_array_equal(states[0], plain.generator.state.numpy())


def test_a_step_left_out_is_as_if_the_batch_had_not_been_there(tmp_path: Path) -> None:
    class Plain(HandWritten):
        def _step(self, x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.matmul(x, self.kernel) ** 2)
            self.kernel.assign_sub(0.1 * tape.gradient(loss, self.kernel))
            self.count.assign_add(1)
            return loss

    without = Plain()
    for i, x in enumerate(batches()):
        if i != BAD:
            without.step(tf.constant(x))
    with trapping(tmp_path, "skip"):
        program = Plain()
        losses = [float(program.step(tf.constant(x))) for x in batches()]
    assert program.state() == without.state()
    assert [i for i, loss in enumerate(losses) if np.isnan(loss)] == [BAD]
    assert len(list_captures(tmp_path)) == 1


@pytest.mark.parametrize("make", PROGRAMS)
@pytest.mark.parametrize(("on_bad", "bad"), [("record", BAD), ("stop", None), ("skip", None), ("record", None)])
def test_a_program_computes_the_same_numbers(make: Program, on_bad: str, bad: int | None, tmp_path: Path) -> None:
    plain = make()
    expected = [np.asarray(plain.step(tf.constant(x))).tobytes() for x in batches(bad)]
    with trapping(tmp_path, on_bad):
        program = make()
        found = [np.asarray(program.step(tf.constant(x))).tobytes() for x in batches(bad)]
    assert found == expected
    assert program.state() == plain.state()
    assert bool(list_captures(tmp_path)) is (bad is not None)


def test_no_more_captures_are_made_than_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with trapping(tmp_path, "skip", most=2):
        program = HandWritten()
        for _ in range(4):
            program.step(tf.constant(batches()[BAD]))
    assert len(list_captures(tmp_path)) == 2
    assert capsys.readouterr().err.count("not captured, as there are 2 captures already") == 2


def test_a_capture_is_cut_at_its_size_and_says_so(tmp_path: Path) -> None:
    with trapping(tmp_path, size=8 * 4 * 4 + 8), pytest.raises(tf.errors.InvalidArgumentError):
        HandWritten().step(tf.constant(batches()[BAD]))
    header = open_capture(list_captures(tmp_path)[0]).header
    (note,) = [note for note in header.notes if note.startswith("kernel takes 16 bytes")]
    assert note.endswith("give a larger --size")


def test_a_second_derivative_that_is_not_of_a_variable_is_not_tested(tmp_path: Path) -> None:
    kernel = tf.Variable(tf.ones((4, 1)))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            with tf.GradientTape() as inner:
                inner.watch(x)
                root = tf.reduce_sum(tf.sqrt(x))
            steep = inner.gradient(root, x)  # infinite at 0, and left out
            loss = tf.reduce_sum(tf.where(tf.math.is_finite(steep), x, 0.0) * tf.squeeze(kernel))
        gradient = tape.gradient(loss, kernel)
        kernel.assign_sub(gradient)
        return loss

    with trapping(tmp_path):
        step(tf.constant([0.0, 1.0, 1.0, 1.0]))
    assert list_captures(tmp_path) == []


def test_a_fault_of_ours_ends_the_trap_and_not_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(trap, "make_capture", broken)
    plain = HandWritten()
    with trapping(tmp_path):
        program = HandWritten()
        for x in batches():
            program.step(tf.constant(x))
    for x in batches():
        plain.step(tf.constant(x))
    assert program.state() == plain.state()
    assert (
        "the trap is off: capturing a step failed with RuntimeError: broken; the program goes on"
        in capsys.readouterr().err
    )


def test_where_captures_can_not_be_written_the_step_still_ends(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with trapping(tmp_path / "file"), pytest.raises(tf.errors.InvalidArgumentError, match="not captured: "):
        HandWritten().step(tf.constant(batches()[BAD]))


@pytest.mark.parametrize("how", ["graph", "compiled", "eager"])
def test_a_learning_rate_that_is_not_finite_ruins_no_step(how: str, tmp_path: Path) -> None:
    kernel, optimizer = tf.Variable([[1.0], [2.0]]), keras.optimizers.SGD(0.1)
    optimizer.build([kernel])

    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ kernel)
        optimizer.apply_gradients([(tape.gradient(loss, kernel), kernel)])

    run = step if how == "eager" else tf.function(step, jit_compile=how == "compiled")
    with trapping(tmp_path):
        run(tf.ones((3, 2)))
        before = kernel.numpy()
        optimizer.learning_rate = float("nan")
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"step 1 of .*: the learning rate is not finite \(1 NaN"
        ):
            run(tf.ones((3, 2)))
    np.testing.assert_array_equal(kernel.numpy(), before)
    (suspect,) = open_capture(list_captures(tmp_path)[0]).header.trouble.suspects
    assert suspect.role == "learning_rate"
