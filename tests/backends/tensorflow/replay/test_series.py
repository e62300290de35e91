"""What can go wrong in finding the step; that it is found is tested with the trap, in trapping/test_snapshots.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.capture.reader import list_captures
from tensordbg.replaying.plan import ReplayPlan
from tests import programs


def test_steps_that_leave_all_finite_lead_to_no_step(tmp_path: Path) -> None:
    kernel, total = tf.Variable(1.0, name="kernel"), tf.Variable(0.0, name="total")

    @tf.function
    def step(x: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.tanh(kernel * x)
        kernel.assign_sub(tape.gradient(loss, kernel))
        total.assign_add(tf.exp(x))

    def train() -> None:
        for i in range(1100):
            step(tf.constant(200.0 if i == 3 else 1.0))

    with tensordbg.trap(tmp_path, keep=2**20), pytest.raises(tf.errors.InvalidArgumentError, match="such as total"):
        train()
    (path,) = list_captures(tmp_path)
    header = json.loads((path / "capture.json").read_text())
    header["later"] = header["later"][:1]
    (path / "capture.json").write_text(json.dumps(header))
    launcher = [sys.executable, "-m", "tensordbg.replaying.series_launch", ReplayPlan(str(path)).to_json()]
    done = programs.run(launcher, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "every variable stays finite in its 2 steps here; replay it where it was made" in done.stderr
    assert list_captures(tmp_path) == [path]
