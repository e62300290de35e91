"""A function that a traced one calls has the arguments of the graph under names of its own."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.tracing.placed_names import places_of


def test_each_function_has_its_own_name_for_an_argument(tmp_path: Path) -> None:
    def halve(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return x / 2.0 + y

    @tf.function
    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return halve(y, x) * x

    with tensordbg.record(tmp_path):
        step(tf.constant(1.0), tf.constant(2.0))
        graph = step.get_concrete_function(tf.constant(1.0), tf.constant(2.0)).graph
    found = {
        (function, name): operation for operation in ("x", "y") for (_, function), name in places_of(graph, operation)
    }
    assert found["halve", "x"] == "y"
    assert found["halve", "y"] == "x"
    assert found["step", "x"] == "x"
