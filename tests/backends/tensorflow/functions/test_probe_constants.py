"""Constants have one probe together, and are recorded as if each had its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.functions import probe_constants
from tests.backends.tensorflow.functions.test_waiting import definition_of, points_of
from tests.backends.tensorflow.recorded import record


def chain(x: tf.Tensor) -> tf.Tensor:
    for number in range(70):
        x = x * tf.constant(float(number))
    return x


def test_constants_that_wait_for_nothing_are_put_together() -> None:
    definition = definition_of(chain, tf.TensorSpec([2]))
    constants = [node for node in definition.node_def if node.op == "Const"]
    waits = constants[0]
    waits.input.append("^" + next(node.name for node in definition.node_def if node.op == "Mul"))
    constants[5].device = "/device:CPU:1"
    points = points_of(definition)
    rest = probe_constants.add_probes(definition, points)
    probes = [node for node in definition.node_def if node.op == probe_constants.CONSTANTS_OP]
    assert [len(node.input) for node in probes] == [64, 4, 1]
    assert [node.device for node in probes] == ["", "", "/device:CPU:1"]
    assert {node.name for node in probes} <= set(definition.control_ret.values())
    assert len(rest) == len(points) - 69
    assert f"{waits.name}:output:0" in {point.tensor for point in rest}


def test_the_same_is_recorded_as_by_single_probes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def inner(y: tf.Tensor) -> tf.Tensor:
        return y * tf.constant([1.0, np.nan], name="inner_constant")

    def program(x: tf.Tensor) -> tf.Tensor:
        total = tf.zeros([2])
        for turn in tf.range(3):
            total += tf.function(inner)(x) / tf.cast(turn, tf.float32)
            if turn > 1:
                total += tf.constant(np.arange(2.0, dtype=np.float32), name="in_a_branch")
        large = tf.constant(np.arange(5000.0), name="large")
        return total, tf.reduce_sum(large)

    def run(where: str) -> list[str]:
        step = tf.function(program)
        recorded = record(tmp_path / where, lambda: step(tf.ones([2])), detail="values")
        (large,) = recorded.of("large")
        np.testing.assert_array_equal(recorded.reader.value(large.number), np.arange(5000.0))
        return recorded.measured()

    together = run("together")
    monkeypatch.setattr(probe_constants, "add_probes", lambda _, points: list(points))
    assert together == run("single")
    assert sum("inner_constant" in each for each in together) == 3
    assert sum("in_a_branch" in each for each in together) == 1
