"""Where TensorFlow's fused kernel drops a NaN that a recording shows, the report says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg

RANDOM = np.random.default_rng(0)
WEIGHT = tf.Variable(RANDOM.normal(size=(6, 8)).astype(np.float32))
BIAS = tf.Variable(RANDOM.normal(size=8).astype(np.float32))
KERNEL = tf.Variable(RANDOM.normal(size=(3, 3, 3, 8)).astype(np.float32))
VECTORS, IMAGES = (np.array(RANDOM.normal(size=shape), np.float32) for shape in ((8, 6), (4, 8, 8, 3)))
VECTORS[3] = IMAGES[1, 3] = np.nan

Program = Callable[[tf.Tensor], tf.Tensor]
DROPPED: dict[str, tuple[np.ndarray, Program]] = {
    "Conv2D + BiasAdd + Relu": (IMAGES, lambda x: tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, KERNEL, 1, "SAME"), BIAS))),
    "MatMul + BiasAdd + Relu6": (VECTORS, lambda x: tf.nn.relu6(tf.nn.bias_add(tf.matmul(x, WEIGHT), BIAS))),
    "MatMul + AddV2 + Relu": (VECTORS, lambda x: tf.nn.relu(tf.matmul(x, WEIGHT) + BIAS)),
}
KEPT: dict[str, tuple[np.ndarray, Program]] = {
    "another activation": (VECTORS, lambda x: tf.nn.leaky_relu(tf.nn.bias_add(tf.matmul(x, WEIGHT), BIAS))),
    "no sum": (VECTORS, lambda x: tf.nn.relu(tf.sin(x))),
}


def run(folder: Path, given: np.ndarray, program: Program) -> tuple[bool, list[str]]:
    """Whether the plain result is finite, and what the report notes."""
    function = tf.function(program)
    x = tf.constant(given)
    plain = function(x).numpy()
    with tensordbg.record(folder) as recording:
        assert np.isnan(function(x).numpy()).any()
    assert function(x).numpy().tobytes() == plain.tobytes()
    return bool(np.isfinite(plain).all()), [
        each for each in tensordbg.open(recording.path).why().notes if "in one kernel" in each
    ]


@pytest.mark.parametrize("name", DROPPED)
def test_a_dropped_nan_is_noted(tmp_path: Path, name: str) -> None:
    finite, notes = run(tmp_path, *DROPPED[name])
    assert finite
    (note,) = notes
    assert f"TensorFlow computes {name} in one kernel, which gives 0 for NaN" in note


@pytest.mark.parametrize("name", KEPT)
def test_what_stays_nan_is_not(tmp_path: Path, name: str) -> None:
    assert run(tmp_path, *KEPT[name]) == (False, [])
