"""Where TensorFlow's fused kernel drops a NaN that a recording shows, the report says so."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests import programs

PROGRAM = """
import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

import tensordbg

random = np.random.default_rng(0)
weight = tf.Variable(random.normal(size=(6, 8)).astype(np.float32))
bias = tf.Variable(random.normal(size=8).astype(np.float32))
kernel = tf.Variable(random.normal(size=(3, 3, 3, 8)).astype(np.float32))
vectors, images = (np.array(random.normal(size=shape), np.float32) for shape in ((8, 6), (4, 8, 8, 3)))
vectors[3] = images[1, 3] = np.nan

PROGRAMS = {
    "Conv2D + BiasAdd + Relu": (images, lambda x: tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), bias))),
    "MatMul + BiasAdd + Relu6": (vectors, lambda x: tf.nn.relu6(tf.nn.bias_add(tf.matmul(x, weight), bias))),
    "MatMul + AddV2 + Relu": (vectors, lambda x: tf.nn.relu(tf.matmul(x, weight) + bias)),
    "another activation": (vectors, lambda x: tf.nn.leaky_relu(tf.nn.bias_add(tf.matmul(x, weight), bias))),
    "no sum": (vectors, lambda x: tf.nn.relu(tf.sin(x))),
}


def run(folder, given, program):
    function = tf.function(program)
    x = tf.constant(given)
    plain = function(x).numpy()
    with tensordbg.record(folder) as recording:
        assert np.isnan(function(x).numpy()).any()
    assert function(x).numpy().tobytes() == plain.tobytes()
    notes = tensordbg.open(recording.path).why().notes
    return bool(np.isfinite(plain).all()), [note for note in notes if "in one kernel" in note]


print(json.dumps({name: run(Path(str(at)), *PROGRAMS[name]) for at, name in enumerate(PROGRAMS)}))
"""
DROPPING = ("Conv2D + BiasAdd + Relu", "MatMul + BiasAdd + Relu6", "MatMul + AddV2 + Relu")


def answers(folder: Path, onednn: str) -> dict[str, Any]:
    """By program: whether its plain result is finite, and what the report notes."""
    done = programs.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        env={**os.environ, "TF_ENABLE_ONEDNN_OPTS": onednn},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_dropped_nan_is_noted(tmp_path: Path) -> None:
    told = answers(tmp_path, "1")
    assert {name: finite for name, (finite, _) in told.items()} == {name: name in DROPPING for name in told}
    for name in DROPPING:
        (note,) = told.pop(name)[1]
        assert f"TensorFlow computes {name} in one kernel, which gives 0 for NaN" in note
    assert list(told.values()) == [[False, []]] * 2


def test_nothing_is_said_where_tensorflows_own_kernels_keep_it(tmp_path: Path) -> None:
    assert list(answers(tmp_path, "0").values()) == [[False, []]] * 5
