"""Programs and tensors of unusual size."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.faults.programs import both_ways, tdbg

LONG = """
import tensorflow as tf

@tf.function(autograph=False)
def run(x):
    for number in range(1500):
        x = x * 1.0001 + (0.001 if number != 1100 else float("inf"))
    return x

print(run(tf.constant([1.0, 2.0])).numpy())
"""
"""A chain several times as long as Python's stack is deep; TensorFlow takes half a minute for six times as many."""

SHAPES = """
import numpy as np
import tensorflow as tf

EMPTY = tf.zeros([3, 0, 2])
HIGH = tf.reshape(tf.range(4096, dtype=tf.float32), [2] * 12)

@tf.function
def run(empty, high):
    return tf.concat([empty, empty], 0), tf.reduce_sum(empty), tf.reduce_max(empty), tf.sin(high), high[0]

for result in run(EMPTY, HIGH):
    print(result.shape, float(tf.reduce_sum(result)))
print(tf.sin(EMPTY).shape, tf.transpose(HIGH).shape)
"""

HUGE = """
import tensorflow as tf

# Nothing is ever written there, so it takes no memory.
@tf.function
def run():
    huge = tf.raw_ops.Empty(shape=[2**16, 2**15], dtype=tf.int8, init=False)
    return tf.reshape(huge, [4, 2**29])

print(run().shape, tf.raw_ops.Empty(shape=[2, 2**30], dtype=tf.int8, init=False).shape)
"""


def test_a_function_of_three_thousand_operations(tmp_path: Path) -> None:
    both = both_ways(tmp_path, LONG)
    recorded = both.read()
    assert "recording stopped" not in both.recorded.err
    assert len(recorded.events) >= 3_000
    assert [event.slot for event in recorded.of("add_1100")] == [0]
    assert recorded.one("add_1100").row["pos_inf"] == 2
    assert recorded.one("add_1099").row["pos_inf"] == 0
    why = tdbg(tmp_path / "recorded", "why")
    assert why.code == 0, why.err
    assert "x = x * 1.0001 + " in why.out


def test_no_elements_and_twelve_dimensions(tmp_path: Path) -> None:
    recorded = both_ways(tmp_path, SHAPES).read()
    assert {event.shape for event in recorded.of("concat")} == {"[6, 0, 2]"}
    assert {event.row["size"] for event in recorded.of("concat")} == {0}
    sizes = {event.shape: event.row["size"] for event in recorded.of("Sin")}
    assert sizes == {str([2] * 12): 4096, "[3, 0, 2]": 0}
    # The maximum of nothing is -inf, and so is the sum of it, outside.
    assert recorded.one("Max").row["neg_inf"] == 1


def test_two_to_the_31_elements_of_which_only_the_shape_is_kept(tmp_path: Path) -> None:
    both = both_ways(tmp_path, HUGE, ("--detail", "shapes"))
    recorded = both.read()
    assert "recording stopped" not in both.recorded.err
    shapes = [event.shape for event in recorded.events]
    assert "[4, 536870912]" in shapes
    assert "[65536, 32768]" in shapes
    assert "[2, 1073741824]" in shapes
    listed = tdbg(tmp_path / "recorded", "ls")
    assert listed.code == 0, listed.err
    assert "1073741824" in listed.out
