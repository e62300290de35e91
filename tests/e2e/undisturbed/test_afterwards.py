"""When a recording, a check or a trap has ended, the program's functions and the process are what they were before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
import tensordbg.tensorflow
from tensordbg.backends.tensorflow.internals import context

MANY = """
import ctypes, gc, json, os, shutil, statistics, sys
import tensorflow as tf
import tensordbg, tensordbg.tensorflow

weight = tf.Variable([1.0, 2.0])
x = tf.constant([0.5, 0.25])

def made():
    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            y = x * weight
            for _ in range(10):
                y = tf.tanh(y) + x
            loss = tf.reduce_sum(tf.square(y))
        weight.assign_sub(0.001 * tape.gradient(loss, weight))
        return loss
    return step

step = made()

def plain():
    step(x)

def recorded():
    with tensordbg.record("traces"):
        step(x)
        tf.add(x, x)
    shutil.rmtree("traces")

def checked():
    tensordbg.tensorflow.enable_check_numerics()
    step(x)
    tensordbg.tensorflow.disable_check_numerics()

def trapped():
    with tensordbg.trap("captures"):
        step(x)

def used():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as statm:
        return len(os.listdir("/proc/self/fd")), int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")

times = int(sys.argv[1])
found = {}
for each in (plain, recorded, checked, trapped):
    for new in (False, True):
        def use():
            global step
            if new:
                step = made()
            each()
        before = used()
        grown = []
        for _ in range(4):
            for _ in range(times):
                use()
            after = used()
            grown.append((after[1] - before[1]) / times)
            descriptors, before = after[0] - before[0], after
        # The first times bring along what is kept for the next; a leak grows in all.
        found[f"{each.__name__} {new}"] = descriptors, statistics.median(grown[1:])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, float]]:
    """How many descriptors more are open after many of each, and how many bytes each left behind."""
    done = subprocess.run(
        [sys.executable, "-c", MANY, "8"],
        cwd=tmp_path_factory.mktemp("many"),
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("what", ["recorded", "checked", "trapped"])
def test_a_thousand_leave_no_descriptor_and_less_than_20_megabytes(
    kept: dict[str, tuple[int, float]], what: str, new: bool
) -> None:
    """Of one function, and each of a new one: TensorFlow itself keeps something of a function that is gone."""
    descriptors, each = kept[f"{what} {new}"]
    assert descriptors == 0
    assert (each - kept[f"plain {new}"][1]) * 1000 < 20 * 2**20


MODELS = """
import ctypes, gc, os, shutil, sys
import keras, numpy as np, tensordbg

rows, labels = np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)
models = []

def fit():
    models.append(keras.Sequential([keras.layers.Dense(4, "relu"), keras.layers.Dense(1)]))
    models[-1].compile("adam", "mse", metrics=["mae"])
    models[-1].fit(rows, labels, verbose=0)

def recorded():
    with tensordbg.record("traces"):
        fit()
    shutil.rmtree("traces")

def used():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")

for each in (fit, recorded):
    each()
    each()
    before = used()
    for _ in range(5):
        each()
    print((used() - before) / 5)
"""


def test_a_recorded_model_that_is_kept_is_hardly_larger(tmp_path: Path) -> None:
    """Some 3 MB for the runtime's definitions with our nodes; the stacks of its operations were 13 MB more."""
    done = subprocess.run([sys.executable, "-c", MODELS], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    plain, recorded = map(float, done.stdout.split())
    assert recorded - plain < 7 * 2**20


def convolution() -> Any:
    """Where TensorFlow uses oneDNN, its fused kernel drops the NaN in the rectifier; single operations don't."""
    random = np.random.default_rng(0)
    features = random.normal(size=(4, 16, 16, 3)).astype(np.float32)
    features[1, 3] = np.nan
    # What TensorFlow can compute once, or leave out, it does not fuse.
    x = tf.Variable(features)
    kernel = tf.Variable(random.normal(size=(3, 3, 3, 8)).astype(np.float32))
    bias = tf.Variable(np.zeros(8, np.float32))

    @tf.function
    def convolved() -> tf.Tensor:
        return tf.reduce_sum(tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), bias)))

    return convolved


def own_operations(function: Any) -> list[str]:
    """Operations of ours in the definition that the runtime has of a function."""
    runtime = context.context()
    definition = runtime.get_function_def(function.get_concrete_function().name)
    return [node.op for node in definition.node_def if "ensordbg" in node.op]


def test_a_recorded_function_is_plain_afterwards(tmp_path: Path) -> None:
    function = convolution()
    plain = function()
    with tensordbg.record(tmp_path):
        function()
        assert own_operations(function)
    assert own_operations(function) == []
    np.testing.assert_array_equal(function(), plain)


def test_a_function_that_was_traced_under_a_recording_is_plain_afterwards(tmp_path: Path) -> None:
    plain = convolution()()
    function = convolution()
    with tensordbg.record(tmp_path):
        function()
    assert own_operations(function) == []
    np.testing.assert_array_equal(function(), plain)


def test_a_checked_function_is_plain_afterwards() -> None:
    function = convolution()
    plain = function()
    tensordbg.tensorflow.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Conv2D"):
            function()
    finally:
        tensordbg.tensorflow.disable_check_numerics()
    assert own_operations(function) == []
    np.testing.assert_array_equal(function(), plain)


def test_a_trapped_function_is_plain_afterwards_and_trapped_again_under_the_next(tmp_path: Path) -> None:
    weight = tf.Variable(2.0)

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.math.log(x * weight)
        weight.assign_sub(tape.gradient(loss, weight))
        return loss

    with tensordbg.trap(tmp_path):
        step(tf.constant(1.0))
        concrete = step.get_concrete_function(tf.constant(1.0))

    def traps() -> list[str]:
        definition = context.context().get_function_def(concrete.name)
        return [node.op for node in definition.node_def if "ensordbg" in node.op]

    assert traps() == []
    with tensordbg.trap(tmp_path):
        assert traps() == ["TensordbgTrap"]
        with pytest.raises(tf.errors.InvalidArgumentError, match="the loss is not finite"):
            step(tf.constant(0.0))
    assert traps() == []
    assert float(step(tf.constant(0.0))) == -np.inf


def test_a_recording_inside_of_a_check_leaves_the_check(tmp_path: Path) -> None:
    function = convolution()
    tensordbg.tensorflow.enable_check_numerics()
    try:
        with tensordbg.record(tmp_path), pytest.raises(tf.errors.InvalidArgumentError, match="Conv2D"):
            function()
        with pytest.raises(tf.errors.InvalidArgumentError, match="Conv2D"):
            function()
        assert {"TensordbgCheck"} == set(own_operations(function))
    finally:
        tensordbg.tensorflow.disable_check_numerics()
    assert own_operations(function) == []
