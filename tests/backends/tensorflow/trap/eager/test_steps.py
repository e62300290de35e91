"""The trap on trainings that run eagerly."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.trap import trapping as trap_module
from tensordbg.capture.reader import list_captures, open_capture
from tests import programs
from tests.backends.tensorflow.trap import test_trapping as test_trap
from tests.backends.tensorflow.trap.test_trapping import BAD, batches


class KerasLoop(test_trap.KerasLoop):
    """A tape, a Keras optimizer, batch normalization, dropout, and a function that is traced."""

    def __init__(self) -> None:
        super().__init__()
        self.step = self._step
        self.squared = tf.function(lambda x: tf.reduce_mean(x**2))

    def _step(self, x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = self.squared(self.model(x, training=True))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        return loss


class HandWritten(test_trap.HandWritten):
    """A loop that updates its variables itself, with a generator whose state is written early."""

    def __init__(self) -> None:
        super().__init__()
        self.step = self._step

    def _step(self, x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.matmul(x + 0.1 * self.generator.normal((8, 4)), self.kernel) ** 2)
        self.kernel.assign_sub(0.1 * tape.gradient(loss, self.kernel))
        self.count.assign_add(1)
        return loss

    def state(self) -> list[bytes]:
        return [*super().state(), self.generator.state.numpy().tobytes()]


PROGRAMS = [KerasLoop, HandWritten]
Program = Callable[[], Any]


def losses_of(program: Any, numbers: Any = range(6), bad: int | None = BAD) -> list[bytes]:
    return [np.asarray(program.step(tf.constant(batches(bad)[i]))).tobytes() for i in numbers]


def run_until_bad(make: Program, folder: Path) -> Any:
    program = make()
    with tensordbg.trap(folder):
        losses_of(program, range(BAD))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"step 3 of _step: the loss is not finite \(1 NaN"):
            losses_of(program, [BAD])
    return program


@pytest.mark.parametrize("make", PROGRAMS)
def test_a_bad_step_leaves_nothing_written(make: Program, tmp_path: Path) -> None:
    plain = make()
    losses_of(plain, range(BAD))
    assert run_until_bad(make, tmp_path).state() == plain.state()


@pytest.mark.parametrize("make", PROGRAMS)
def test_a_step_that_is_left_out_is_as_if_the_batch_had_not_been_there(make: Program, tmp_path: Path) -> None:
    without = make()
    losses_of(without, [0, 1, 2, 4, 5])
    program = make()
    if make is HandWritten:
        without.count.assign_add(1)  # nothing that was bad goes into it, so it is not left out
    with tensordbg.trap(tmp_path, "skip") as trap:
        losses_of(program)
    assert program.state() == without.state()
    assert len(trap.captures) == 1


@pytest.mark.parametrize("make", PROGRAMS)
@pytest.mark.parametrize(("on_bad", "bad"), [("record", BAD), ("stop", None), ("skip", None)])
def test_a_program_computes_the_same_numbers(make: Program, on_bad: str, bad: int | None, tmp_path: Path) -> None:
    plain, program = make(), make()
    expected = losses_of(plain, bad=bad)
    with tensordbg.trap(tmp_path, on_bad):
        assert losses_of(program, bad=bad) == expected
    assert program.state() == plain.state()
    assert bool(list_captures(tmp_path)) is (bad is not None)


REPLAY = """
import sys
import tensorflow
from tensordbg.backends.tensorflow.replay.replayer import Replayer
from tensordbg.capture.outcome import compare
from tensordbg.capture.reader import open_capture
from tensordbg.replaying.plan import ReplayPlan

for path in sys.argv[1:]:
    capture = open_capture(path)
    replayer = Replayer(capture, ReplayPlan(path))
    print(compare(capture.header.trouble, replayer.run(replayer.arguments)).value)
"""


def test_a_capture_has_all_that_the_step_took_and_comes_out_the_same_elsewhere(tmp_path: Path) -> None:
    captures = []
    for make in PROGRAMS:
        plain = make()
        losses_of(plain, range(BAD))
        run_until_bad(make, tmp_path / make.__name__)
        (path,) = list_captures(tmp_path / make.__name__)
        captures.append(path)
        capture = open_capture(path)
        assert any(np.array_equal(each, batches()[BAD], equal_nan=True) for each in capture.batch().values())
        names = {each.tensor.name: each for each in capture.header.variables}
        assert {"loss", "gradient"} == {suspect.role for suspect in capture.header.trouble.suspects}
        held = {array.tobytes() for array in capture.variables().values()}
        if make is HandWritten:
            assert names["kernel"].trainable
            assert {plain.kernel.numpy().tobytes(), plain.generator.state.numpy().tobytes()} <= held
        else:
            assert {np.asarray(each).tobytes() for each in plain.model.variables} <= held
            assert any(name.endswith("moving_mean") for name in names)
        stacks = {row["stack"]: row["frames"] for row in capture.rows("stacks")}
        sites = [row for row in capture.rows("sites") if row["op_type"] == "MatMul"]
        assert any(frame[2] == "_step" for frame in stacks[sites[0]["stack"]])
    done = programs.run(
        [sys.executable, "-c", REPLAY, *map(str, captures)], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["same", "same"], done.stderr


def test_gradients_that_go_bad_on_their_way_to_the_optimizer(tmp_path: Path) -> None:
    kernel = keras.Variable([1.0, 2.0], name="kernel")
    optimizer = keras.optimizers.SGD()
    optimizer.build([kernel])
    with tensordbg.trap(tmp_path, "skip") as trap:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(kernel.value * [1.0, 2.0])
        gradient = tape.gradient(loss, kernel.value)
        optimizer.apply_gradients([(gradient / [1.0, 0.0], kernel)])
    assert np.asarray(kernel).tolist() == [1.0, 2.0]
    (suspect,) = open_capture(trap.captures[0]).header.trouble.suspects
    assert (suspect.role, suspect.variable, suspect.pos_inf) == ("gradient", "kernel", 1)


def test_an_overflow_that_the_scale_of_the_loss_catches_is_no_trouble(tmp_path: Path) -> None:
    kernel = keras.Variable([1.0, 2.0], name="kernel")
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(), initial_scale=2.0**127)
    optimizer.build([kernel])

    def step(factor: float) -> None:
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(kernel.value * factor))
        optimizer.apply_gradients([(tape.gradient(loss, kernel.value), kernel)])

    with tensordbg.trap(tmp_path) as trap:
        step(4.0)
        assert trap.captures == []
        assert float(optimizer.dynamic_scale) == 2.0**126
        optimizer.dynamic_scale.assign(1.0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="the loss is not finite"):
            step(float("inf"))


def test_a_marked_step_is_put_back_as_a_whole(tmp_path: Path) -> None:
    kernel = tf.Variable([4.0, 2.0], name="kernel")
    count = tf.Variable(0, name="count")

    @tf.function
    def shrink(x: Any) -> None:
        kernel.assign(tf.sqrt(kernel - x))

    with tensordbg.trap(tmp_path, "skip") as trap:
        for x in (1.0, 0.0, 1.5, 0.25):
            with trap.step(tf.constant(x)):
                count.assign_add(1)
                shrink(tf.constant(x))
    assert (int(count.numpy()), kernel.numpy().tolist()) == (3, _shrunk([4.0, 2.0], [1.0, 0.0, 0.25]))
    capture = open_capture(trap.captures[0])
    assert (capture.header.step, capture.header.function) == (2, "test_a_marked_step_is_put_back_as_a_whole")
    (suspect,) = capture.header.trouble.suspects
    assert (suspect.role, suspect.variable, suspect.nan) == ("variable", "kernel", 2)
    assert capture.batch()[0] == 1.5


def _shrunk(kernel: list[float], xs: list[float]) -> list[float]:
    value = np.asarray(kernel, np.float32)
    for x in xs:
        value = np.sqrt(value - np.float32(x))
    return value.tolist()


def test_a_step_that_can_not_be_written_as_a_graph_is_stopped_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("broken\nin two lines")

    monkeypatch.setattr(trap_module, "write_step", broken)
    program = HandWritten()
    with tensordbg.trap(tmp_path), pytest.raises(tf.errors.InvalidArgumentError, match=r"a graph: broken$"):
        losses_of(program, [BAD])
