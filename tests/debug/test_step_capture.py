"""A step is captured when it is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tensordbg.capture.reader import open_capture
from tensordbg.debug.step_capture import StepCapture
from tensordbg.errors import UsageError
from tests import programs

QUIET = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}

PROGRAM = """
import pathlib
import sys

import numpy as np

from tensordbg.debug.step_capture import StepCapture

capturing = StepCapture(pathlib.Path("captures").absolute())
if "asked" in sys.argv:
    capturing.install()

import tensorflow as tf

weight = tf.Variable(2.0, name="weight")


@tf.function
def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.square(weight * x)
    weight.assign_sub(0.1 * tape.gradient(loss, weight))
    return loss


for turn in range(4):
    if turn == 2 and "asked" in sys.argv:
        capturing.ask()
    # What is bad is not captured unless it is asked for.
    train_step(tf.constant(np.nan if turn == 3 else 1.0 + turn))
    if turn == 2:
        print(weight.numpy())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where such a program ran."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "train.py").write_text(PROGRAM)
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return programs.run(
        [sys.executable, *words], cwd=folder, env=QUIET, capture_output=True, text=True, check=True, timeout=300
    )


def test_the_step_that_was_asked_for_is_captured_and_no_other(folder: Path) -> None:
    plain = run(folder, "train.py")
    asked = run(folder, "train.py", "asked")
    assert asked.stdout == plain.stdout
    (capture,) = (folder / "captures").iterdir()
    header = open_capture(capture).header
    assert (header.step, header.trouble.kind, header.trouble.suspects) == (2, "asked", ())
    assert "step 2 of train_step: it was asked for (loss" in asked.stderr
    assert asked.stderr.count("tensordbg trap") == 1

    replayed = run(folder, "-m", "tensordbg", "replay", str(capture))
    assert "the step came out the same, bit for bit" in replayed.stderr


def test_what_can_not_be_captured_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has not imported a framework"):
        StepCapture(tmp_path).ask()
