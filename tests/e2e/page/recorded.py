"""Traces that the tests of several files look at: each is recorded once, whichever worker comes first."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import programs

ROOT = Path(__file__).parents[3]
QUIET = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that all workers of a session share; the first one fills it, the others wait."""
    base = factory.getbasetemp()
    # A worker of pytest-xdist has a folder of its own in that of the session.
    top = base.parent if base.name.startswith("popen-") else base
    folder = top / name
    with (top / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unready = top / f"{name}.unready"
            make(unready)
            unready.rename(folder)
    return folder


def record(folder: Path, *words: str) -> None:
    """Runs `tdbg run`."""
    command = [sys.executable, "-m", "tensordbg", "run", "--out", str(folder), *words]
    programs.run(command, check=True, capture_output=True, env=QUIET, cwd=ROOT)


def record_digits(folder: Path) -> None:
    """The example that goes wrong, with the elements of its tensors."""
    record(folder, "--detail", "values", "examples/digits_nan.py")


TWO_TROUBLES = """\
import tensorflow as tf

@tf.function
def step(x):
    logarithms = tf.math.log(x)
    roots = tf.sqrt(x - 1.0)
    return tf.reduce_sum(logarithms), tf.reduce_sum(roots)

step(tf.constant([0.0, 1.0]))
"""


FAILED = """\
import tensorflow as tf

@tf.function
def step(logits, labels):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)

step(tf.ones([4, 3]), tf.constant([0, 1, 7, 2]))
"""


def record_failed(folder: Path) -> None:
    """A program that an operation ends by its error: a label is out of range."""
    with tempfile.TemporaryDirectory() as programs:
        program = Path(programs) / "failed.py"
        program.write_text(FAILED)
        with contextlib.suppress(subprocess.CalledProcessError):  # it ends as the program does
            record(folder, str(program))


DECIDED = """\
import tensorflow as tf

@tf.function
def step(x):
    y = tf.math.log(x)
    if y > 0.0:
        return x
    return -x

step(tf.constant(-1.0))
"""


def record_decided(folder: Path) -> None:
    """A program in which a NaN decides which branch runs."""
    with tempfile.TemporaryDirectory() as programs:
        program = Path(programs) / "decided.py"
        program.write_text(DECIDED)
        record(folder, str(program))


SCOPES = """\
import keras
import numpy as np
import tensorflow as tf


@tf.function
def normed(x):
    with tf.name_scope("norm"):
        return x / tf.reduce_sum(x)


@tf.function
def step(x):
    with tf.name_scope("encoder"):
        with tf.name_scope("first"):
            h = tf.tanh(x) * 2.0 + 1.0
        with tf.name_scope("second"):
            h = tf.sqrt(h - 1.0)
    i = 0
    while i < tf.constant(3):
        h = h + tf.math.log(tf.abs(h) + 1.0)
        i += 1
    h = normed(h)
    with tf.name_scope("loss"):
        return tf.reduce_mean(tf.square(h))


model = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(2)], name="net")


@tf.function
def predict(x):
    return model(x)


predict(np.ones((2, 3), "float32"))
step(tf.constant([0.5, -0.1]))
tf.math.log(tf.constant([-1.0]))
"""


def record_scopes(folder: Path) -> None:
    """A function with name scopes, a loop and a call, in which a NaN begins; another function with Keras layers."""
    with tempfile.TemporaryDirectory() as programs:
        program = Path(programs) / "scopes.py"
        program.write_text(SCOPES)
        record(folder, str(program))


def record_two_troubles(folder: Path) -> None:
    """A program in which two lines go wrong that have nothing to do with each other: a logarithm, then a root."""
    with tempfile.TemporaryDirectory() as programs:
        program = Path(programs) / "two_troubles.py"
        program.write_text(TWO_TROUBLES)
        record(folder, str(program))
