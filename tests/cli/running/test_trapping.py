"""`tdbg trap` from the first step to the report, on real trainings that go wrong by themselves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures, open_capture
from tests import programs
from tests.cli.conftest import COMMAND

KERAS = """
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)
model = keras.Sequential([keras.layers.Dense(16, activation="relu"), keras.layers.Dense(3, activation="softmax")])


def loss(labels, probabilities):
    wanted = tf.one_hot(tf.cast(labels[:, 0], tf.int32), 3)
    return -tf.reduce_mean(wanted * tf.math.log(probabilities))


model.compile(optimizer="adam", loss=loss, jit_compile=False)
x = np.random.RandomState(0).normal(size=(640, 4)).astype(np.float32)
x[401] *= 1e4  # one sample of another kind
try:
    model.fit(x, np.zeros((640, 1)), batch_size=32, verbose=0)
finally:
    print("finite", all(np.isfinite(np.asarray(each)).all() for each in model.variables))
"""


def trap(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(KERAS)
    return programs.run(
        [*COMMAND, "trap", "--most", "1", *words, "train.py"],
        cwd=folder,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        check=False,
        text=True,
    )


def test_a_training_is_stopped_replayed_and_explained(folder: Path) -> None:
    done = trap(folder)
    assert (done.returncode, done.stdout) == (3, "finite True\n"), done.stderr
    (path,) = list_captures(folder / "captures")
    said = done.stderr
    assert f"captured in {path}" in said
    assert f"tdbg: replayed {path}: the step went wrong again, the same bit for bit" in said
    assert "cause   log_of_zero" in said
    assert "tf.math.log(probabilities)" in said
    assert {suspect.role for suspect in open_capture(path).header.trouble.suspects} == {"loss", "gradient"}


@pytest.mark.parametrize(("on_bad", "finite"), [("skip", True), ("record", False)])
def test_a_training_goes_on(folder: Path, on_bad: str, finite: bool) -> None:
    done = trap(folder, "--on-bad", on_bad, "--no-replay")
    assert (done.returncode, done.stdout) == (0, f"finite {finite}\n"), done.stderr
    (path,) = list_captures(folder / "captures")
    assert f"captured in {path}" in done.stderr
