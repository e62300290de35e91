"""Where a program fails in loops of one another, the iteration of each is told if what was recorded makes it sure."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.report.findings.why_text import render
from tensordbg.wire.why import why_to_json


@tf.function
def walk(limit: tf.Tensor) -> tf.Tensor:
    i = tf.constant(0)
    while i < 3:
        k = tf.constant(0)
        while k < 5:
            tf.debugging.assert_less(i * k, limit, message="too large")
            k += 1
        i += 1
    return limit


@tf.function
def summed(rows: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    total = 0.0
    for i in tf.range(tf.shape(rows)[0]):
        for j in tf.range(4):
            total += rows[i, tf.gather(places, i * 2 + j)]
    return total


@tf.function
def written(x: tf.Tensor) -> tf.Tensor:
    out = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        for j in tf.range(3):
            out = out.write(i + j, x)
    return out.stack()


@tf.function
def mapped(x: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    return tf.map_fn(lambda row: tf.gather(x, tf.gather(places, row)), tf.range(4), fn_output_signature=tf.float32)


@tf.function
def shaped(x: tf.Tensor) -> tf.Tensor:
    total = tf.zeros([2, 2])
    for i in tf.range(4):
        total += tf.reshape(x, tf.stack([2, 2 + i // 2]))[:, :2]
    return total


@pytest.mark.parametrize(
    ("program", "iterations"),
    [
        (lambda: walk(tf.constant(6)), [2, 3]),
        (lambda: summed(tf.ones([3, 4]), tf.constant([0, 1, 2, 3, 0, 7])), [1, 3]),
        (lambda: written(tf.constant(2.0)), [1, 2]),
        (lambda: mapped(tf.ones([5]), tf.constant([0, 1, 9, 2])), [2]),
        (lambda: shaped(tf.ones([4])), [2]),
        (lambda: tf.gather(tf.ones([2]), tf.constant(3)), []),
    ],
    ids=["an assertion", "a slice", "a TensorArray", "a map", "a shape", "no loop"],
)
def test_the_iteration_of_each_loop_is_told(
    program: Callable[[], object], iterations: list[int], tmp_path: Path
) -> None:
    with contextlib.suppress(tf.errors.InvalidArgumentError), tensordbg.record(tmp_path) as recording:
        program()
    result = tensordbg.open(recording.path).why()
    (failure,) = why_to_json(result)["failures"]
    assert [each["iteration"] for each in failure.get("loops", [])] == iterations
    text = " ".join(render(result).split())
    if len(iterations) == 2:
        lines = [each["source"]["line"] for each in failure["loops"]]
        wanted = (
            f"in step 0, iteration {iterations[0]} of the loop at line {lines[0]}, iteration {iterations[1]} of that "
            f"at line {lines[1]}, "
        )
        assert wanted in text
    elif iterations:
        assert f"in step 0, iteration {iterations[0]}, " in text
    else:
        assert "iteration" not in text
