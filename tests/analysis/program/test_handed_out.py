"""Statements give their names to results of loops, by their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from tests.backends.tensorflow.recorded import shown


def test_results_of_loops_of_tensorflow(tmp_path: Path) -> None:
    @tf.function
    def run(x: Any) -> Any:
        (end,) = tf.while_loop(lambda y: y < 10.0, lambda y: (y + 4.0,), (x,))
        last = tf.while_loop(lambda k, y: k < 3, lambda k, y: (k + 1, y * 2.0), (0, x))[-1]
        turns, power = tf.while_loop(lambda k, y: k < 3, lambda k, y: (k + 1, y * 2.0), (0, x))
        folded = tf.foldl(lambda before, new: before + new, tf.stack([x, x + 1.0]))
        return end + last + tf.cast(turns, tf.float32) + power + folded

    values = shown(tmp_path, lambda: run(tf.constant(1.0)))
    assert values("end") == [13]
    assert values("last") == [8]
    assert (values("turns"), values("power")) == ([3], [8])
    assert values("folded") == [3]
