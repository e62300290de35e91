"""Tensors with the same elements are read once, and recorded as if each had been read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions import probe_pairs, waiting
from tests.backends.tensorflow.functions.test_waiting import definition_of, points_of
from tests.backends.tensorflow.recorded import record


def probes_of(program: Any, *arguments: Any) -> list[list[str]]:
    """What the probes of each pair look at, by the types of operations."""
    definition = definition_of(program, *arguments)
    probe_pairs.add_probes(definition, points_of(definition))
    ops = {node.name: node.op for node in definition.node_def}
    assert {node.name for node in definition.node_def if "Probe" in node.op} <= set(definition.control_ret.values())
    return [
        [ops[tensor.partition(":")[0]] for tensor in node.input]
        for node in definition.node_def
        if node.op == probe_pairs.PAIR_OP
    ]


def test_a_reshaped_tensor_goes_with_the_one_that_it_is_made_of() -> None:
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(tf.reshape(tf.identity(tf.cos(x)), [2, 3]))

    assert probes_of(program, tf.TensorSpec([6])) == [["Cos", "Reshape"]]


def test_of_a_chain_and_of_a_fork_each_tensor_goes_with_one() -> None:
    def chain(x: tf.Tensor) -> tf.Tensor:
        return tf.expand_dims(tf.reshape(tf.cos(x), [2, 3]), 0)

    def fork(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        y = tf.cos(x)
        return tf.reshape(y, [2, 3]), tf.reshape(y, [3, 2])

    assert probes_of(chain, tf.TensorSpec([6])) == [["Cos", "Reshape"]]
    assert probes_of(fork, tf.TensorSpec([6])) == [["Cos", "Reshape"]]


@pytest.mark.parametrize(
    ("given", "wanted", "together"),
    [
        ([6], [2, 3], True),
        ([None, 6], [-1, 2, 3], True),
        ([None, 6], [-1, 3], True),
        ([None, 6], [4, 3], False),
        ([None, 6], [-1, 4], False),
        ([None, None], [-1, 3], False),
        (None, [-1, 3], False),
    ],
)
def test_what_may_not_fit_has_a_probe_of_its_own(given: Any, wanted: Any, together: bool) -> None:
    function = tf.function(lambda x: tf.reshape(tf.cos(x), wanted)).get_concrete_function(tf.TensorSpec(given))
    definition = function.function_def
    probe_pairs.add_probes(definition, points_of(definition), function.graph)
    assert [node.op for node in definition.node_def].count(probe_pairs.PAIR_OP) == together


def test_nothing_goes_together_across_devices() -> None:
    def program(x: tf.Tensor) -> tf.Tensor:
        with tf.device("/CPU:0"):
            y = tf.cos(x)
        with tf.device("/CPU:1"):
            return tf.reshape(y, [2, 3])

    assert probes_of(program, tf.TensorSpec([6])) == []


@pytest.mark.parametrize("first", [False, True], ids=["beside", "first"])
def test_the_same_is_recorded_as_by_single_probes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bool) -> None:
    monkeypatch.setattr(waiting, "FEW_PROCESSORS", 10**6 if first else 0)
    x = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    x[1, 2], x[3, 3] = np.nan, 0.0

    def inner(y: tf.Tensor) -> tf.Tensor:
        # The argument of a function that is inlined; the shape is computed from what is reshaped.
        return tf.reshape(y, tf.concat([tf.shape(y)[1:], [-1]], 0))

    def program(x: tf.Tensor) -> tf.Tensor:
        total = tf.zeros([6, 4])
        for turn in tf.range(3):
            total += tf.function(inner)(tf.cos(x) / tf.cast(turn, tf.float32))
        wide = tf.expand_dims(tf.squeeze(tf.reshape(x, [1, 24, 1])), 1)
        whole = tf.reshape(tf.cast(tf.math.abs(tf.math.multiply_no_nan(x, 0.0)), tf.int32), [-1])
        return tf.reduce_sum(total) + tf.reduce_sum(wide) + tf.cast(tf.reduce_sum(whole), tf.float32)

    def run(where: str) -> list[str]:
        step = tf.function(program)
        return record(tmp_path / where, lambda: step(x)).measured()

    pairs = run("pairs")
    monkeypatch.setattr(probe_pairs, "add_probes", lambda definition, points, _: fd.add_probes(definition, points))
    single = run("single")
    assert pairs == single
    assert any("Reshape" in each and "(6, 4)" not in each for each in pairs)
