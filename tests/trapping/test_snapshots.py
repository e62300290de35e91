"""A variable that goes bad though the loss and the gradients are good: the step is found and replayed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.capture.reader import list_captures, open_capture
from tensordbg.trapping import snapshots as trap_snapshots
from tests import programs

BAD = 37


class Training:
    """A loss that is bounded beside an average that is not, and a generator whose state is written early."""

    def __init__(self) -> None:
        self.kernel = tf.Variable([1.0, 2.0], name="kernel")
        self.average = tf.Variable(1.0, name="average")
        self.generator = tf.random.Generator.from_seed(1)
        self.step = tf.function(self._step)

    def _step(self, x: Any) -> Any:
        noise = self.generator.normal((2,)) * 0.01
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.tanh(x + noise) * self.kernel) ** 2)
        self.kernel.assign_sub(0.1 * tape.gradient(loss, self.kernel))
        self.average.assign(0.9 * self.average + 0.1 * tf.reduce_mean(tf.exp(x + self.kernel)))
        return loss

    def run(self, steps: int) -> None:
        for i in range(steps):
            self.step(tf.constant([0.5 + 0.01 * i, 200.0 if i == BAD else 1.0]))


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("captures")
    training = Training()
    with (
        tensordbg.trap(folder, keep=2**20),
        pytest.raises(tf.errors.InvalidArgumentError, match=r"1 variables have become .* such as average \(1 \+inf\)"),
    ):
        training.run(2000)
    (path,) = list_captures(folder)
    return path


def test_the_capture_has_the_variables_before_and_what_the_steps_were_given(series: Path) -> None:
    capture = open_capture(series)
    header = capture.header
    assert header.trouble.kind == "variable"
    assert header.step <= BAD <= header.step + len(header.later)
    without = Training()
    without.run(header.step)
    values = {header.variables[i].tensor.name: each for i, each in enumerate(capture.variables().values())}
    np.testing.assert_array_equal(values["kernel"], without.kernel.numpy())
    np.testing.assert_array_equal(values["average"], without.average.numpy())
    assert any(np.array_equal(each, without.generator.state.numpy()) for each in values.values())
    (given,) = capture.tensors_of(header.later[BAD - header.step - 1]).values()
    np.testing.assert_array_equal(given, np.float32([0.5 + 0.01 * BAD, 200.0]))


def test_the_replay_finds_the_step_and_explains_it(series: Path, tmp_path: Path) -> None:
    def replay() -> str:
        done = programs.run(
            [sys.executable, "-m", "tensordbg", "replay", str(series)],
            cwd=tmp_path,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    said = replay()
    assert f"step {BAD} did it" in said
    assert "exp_overflow" in said
    assert "the step went wrong again" in said
    alone = next(path for path in list_captures(series.parent) if path != series)
    header = open_capture(alone).header
    assert (header.step, header.later) == (BAD, ())
    again = replay()
    assert "did it" not in again
    assert "the step went wrong again, the same bit for bit" in again
    assert len(list_captures(series.parent)) == 2


def test_a_healthy_training_is_looked_at_seldom_and_computes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    plain_look = trap_snapshots.Snapshots.look

    def look(snapshots: Any, number: int, step: int, saved: Any) -> int:
        looks.append(step)
        return plain_look(snapshots, number, step, saved)

    monkeypatch.setattr(trap_snapshots.Snapshots, "look", look)
    plain, program = Training(), Training()
    plain.run(BAD)
    with tensordbg.trap(tmp_path, keep=2**20):
        program.run(BAD)
    assert plain.average.numpy() == program.average.numpy()
    assert looks[:2] == [0, 10]
    assert len(looks) <= 4


def test_batches_for_which_there_is_no_room_are_not_captured(tmp_path: Path) -> None:
    with tensordbg.trap(tmp_path, "record", keep=20), pytest.MonkeyPatch.context() as patch:
        said: list[str] = []
        patch.setattr("sys.stderr", type("Said", (), {"write": lambda _, text: said.append(text), "flush": print})())
        Training().run(1100)
    assert any("not captured, as the batches took too much room" in text for text in said)
    assert list_captures(tmp_path) == []
