"""Eager operations of many kinds, written as a graph that computes the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.replay.replayer import Replayer
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.reader import open_capture
from tensordbg.replaying.launch import replay
from tensordbg.replaying.plan import ReplayPlan

X = np.linspace(0.5, 2.0, 12, dtype=np.float32).reshape(3, 4)


FORWARD: dict[str, Callable[[Any, Any], Any]] = {
    "a number beside a tensor": lambda x, w: 2 * x * w + 1.0,
    "lists of tensors": lambda x, w: tf.add_n([tf.concat([x, x], 1)[:, :4], tf.stack([w] * 3), x]),
    "several results": lambda x, w: tf.split(x * w, 2, axis=1)[1],
    "whole numbers": lambda x, w: tf.gather(w * x, [2, 0], axis=1) + tf.cast(tf.shape(x)[0], tf.float32),
    "a convolution": lambda x, w: tf.nn.conv1d(x[None], tf.reshape(w, (1, 4, 1)), 1, "SAME"),
    "an einsum": lambda x, w: tf.einsum("ij,j->i", x, w),
    "types": lambda x, w: tf.cast(tf.cast(x * w, tf.float16), tf.float32),
    "conditions": lambda x, w: tf.where(x > 1.0, x * w, tf.zeros_like(x)),
    "an array": lambda x, w: w * tf.add(x, np.ones((3, 4), np.float32)),
    "control": lambda x, w: tf.cond(tf.reduce_sum(x) > 0, lambda: x * w, lambda: x),
    "a norm": lambda x, w: tf.linalg.norm(x * w, axis=-1),
}


def test_gradients_that_take_nothing_of_the_forward_pass_tell_whose_they_are(tmp_path: Path) -> None:
    kernel = tf.Variable([1.0, 2.0])
    with tensordbg.trap(tmp_path / "captures", "record") as trap, tf.GradientTape() as tape:
        half = tf.cast(kernel, tf.float16)
        out = tf.cast(tf.reshape(half, (1, 2)), tf.float32)  # HERE
        loss = tf.reduce_sum(out) * 1e6
        tape.gradient(loss, kernel)
    replay(tmp_path / "replayed", ReplayPlan(str(trap.captures[0])))
    (origin,) = tensordbg.open(tmp_path / "replayed").why().origins
    assert origin.place is not None
    assert "# HERE" in Path(__file__).read_text(encoding="utf-8").splitlines()[origin.place.line - 1]


@pytest.mark.parametrize("name", FORWARD)
def test_the_graph_computes_what_was_computed_eagerly(name: str, tmp_path: Path) -> None:
    kernel = tf.Variable([1.0, 2.0, 3.0, 4.0], name="kernel")
    with tensordbg.trap(tmp_path, "record") as trap, tf.GradientTape() as tape:
        loss = tf.reduce_sum(FORWARD[name](tf.constant(X), kernel)) / 0.0
        tape.gradient(loss, kernel)
    capture = open_capture(trap.captures[0])
    assert not [each for each in capture.header.arguments if not each.tensor.key]
    replayer = Replayer(capture, ReplayPlan(str(capture.path)))
    outcome = compare(capture.header.trouble, replayer.run(replayer.arguments))
    assert outcome in (Outcome.SAME, Outcome.ALIKE)
