"""A program that computes with TensorFlow and PyTorch has both in one trace, and trouble goes from one to the other."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import tensordbg
from tests import programs
from tests.cli.conftest import COMMAND

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PROGRAM = """\
import numpy as np
import tensorflow as tf
import torch

torch.manual_seed(0)
tf.keras.utils.set_random_seed(0)
encoder = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(4, activation="tanh")])
head = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)

@tf.function
def encode(x):
    return encoder(x) / tf.reduce_max(tf.abs(x), axis=1, keepdims=True)

for step in range(4):
    x = np.random.default_rng(step).normal(size=(6, 8)).astype("float32")
    if step == 2:
        x[3] = ROW
    features = torch.from_numpy(encode(tf.constant(x)).numpy())
    loss = (head(features) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item().hex())
raise SystemExit(3)
"""


def recorded(folder: Path, row: str) -> tensordbg.Trace:
    """Runs the program plainly and recorded, which must not differ, and opens the trace."""
    (folder / "program.py").write_text(PROGRAM.replace("ROW", row))
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    run = [*COMMAND, "run", "--trace", str(folder / "trace"), "program.py"]
    plain, watched = (
        programs.run(command, cwd=folder, env=environment, capture_output=True, check=False, text=True)
        for command in ([sys.executable, "program.py"], run)
    )
    assert (watched.returncode, watched.stdout) == (plain.returncode, plain.stdout) == (3, plain.stdout)
    return tensordbg.open(folder / "trace")


def test_trouble_in_one_is_followed_through_the_other(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "0.0")
    (origin,) = trace.why().origins
    assert (origin.cause, origin.source and origin.source.line) == ("division_by_zero", 13)
    assert {"loss", "gradient", "variable"} <= set(origin.reaches)
    of_each = trace.sql(
        "select framework, count(*) as n from sites where framework <> '' group by framework"
    ).to_pylist()
    assert {row["framework"] for row in of_each} == {"tensorflow", "torch"}


def test_a_healthy_one_is_not_blamed(tmp_path: Path) -> None:
    found = recorded(tmp_path, "1.0").why()
    assert (found.origins, found.non_finite_events) == ((), 0)
