"""Steps of eager loops begin at the outermost tape, and their functions belong to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

import tensordbg
from tensordbg.recording.pace import Pace
from tensordbg.recording.session import Session


def of_tensorflow(pace: Pace) -> list[tuple[Any, int]]:
    """The kinds of steps, and how many there were; PyTorch, where other tests have imported it, begins a step, too."""
    return [(each.key, each.steps) for each in pace.end().looked if each.key != ("training", "torch")]


def keys_of(folder: Path, steps: int) -> list[tuple[object, int]]:
    """The kinds of steps, and how many there were, of a loop with a nested tape, a function and an evaluation."""
    weight = tf.Variable(1.0)
    forward = tf.function(lambda x: tf.sin(x * weight))
    evaluate = tf.function(lambda x: x * weight)
    with tensordbg.record(folder, overhead=0.02):
        session = Session.current()
        assert session is not None
        pace = session.recorder.pace
        assert pace is not None
        for _ in range(steps):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as tape:
                    loss = forward(tf.constant(2.0))
                first = tape.gradient(loss, weight)
            outer.gradient(first, weight)
            weight.assign_sub(0.01 * first)
        evaluate(tf.constant(1.0))
        return of_tensorflow(pace)


def test_a_step_is_a_tape_with_all_that_is_called_until_its_gradient_is_taken(tmp_path: Path) -> None:
    (tape, steps), (_, evaluated) = keys_of(tmp_path, 5)
    assert (tape, steps, evaluated) == ("tf.GradientTape", 5, 1)


def test_a_tape_whose_gradient_nobody_takes_ends_with_the_next(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path, overhead="2%"):
        session = Session.current()
        assert session is not None
        pace = session.recorder.pace
        assert pace is not None
        for _ in range(4):
            with tf.GradientTape() as tape:
                tape.watch(tf.constant(1.0))
        assert of_tensorflow(pace) == [("tf.GradientTape", 4)]


def test_what_is_left_out_computes_the_same(tmp_path: Path) -> None:
    def train() -> list[float]:
        weight, losses = tf.Variable(1.0), []
        for step in range(8):
            with tf.GradientTape() as tape:
                loss = tf.square(weight - float(step))
            weight.assign_sub(0.1 * tape.gradient(loss, weight))
            losses.append(loss.numpy().item())
        return losses

    expected = train()
    with tensordbg.record(tmp_path, overhead=0.02) as recording:
        assert train() == expected
    steps = tensordbg.open(recording.path).sql("select distinct step from executions order by 1").to_pylist()
    assert len(steps) < 8
