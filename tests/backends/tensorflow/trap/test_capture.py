from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.capture.reader import list_captures, open_capture
from tensordbg.health.measured import Measured
from tensordbg.trapping.capture import trouble_of
from tensordbg.trapping.targets import TrapTarget
from tests.backends.tensorflow.trap.test_trapping import BAD, HandWritten, run_until_bad


def test_the_trouble_names_the_bad_ones_and_the_bits_of_all() -> None:
    tested = [TrapTarget("loss", 0, "loss", ""), TrapTarget("gradient", 1, "gradient", "kernel")]
    tensors = [np.float32([1.0]), np.float32([np.nan, np.inf, -np.inf, 0.0])]
    trouble = trouble_of(tested, [1], [Measured(each) for each in tensors])
    (suspect,) = trouble.suspects
    assert (suspect.name, suspect.variable, suspect.nan, suspect.pos_inf, suspect.neg_inf) == (
        "gradient:1", "kernel", 1, 1, 1,
    )  # fmt: skip
    again = trouble_of(tested, [1], [Measured(each) for each in tensors])
    other = trouble_of(tested, [1], [Measured(np.float32([2.0])), Measured(tensors[1])])
    assert trouble == again
    assert trouble.tested[1] == other.tested[1]
    assert trouble.tested[0] != other.tested[0]


def test_a_capture_says_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "--allow-empty", "-m", "c"],
    ):
        subprocess.run(["git", *words], check=True)
    tf.random.set_seed(11)
    run_until_bad(HandWritten, tmp_path / "captures")
    header = open_capture(list_captures(tmp_path / "captures")[0]).header
    commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    assert header.commit is not None
    assert (header.commit.commit, header.commit.dirty) == (commit, False)
    assert header.frameworks["tensorflow"] == tf.__version__
    assert header.seeds["tensorflow"] == 11
    assert (header.pid, header.folder, header.step) == (os.getpid(), str(tmp_path), BAD)
    trainable = {each.tensor.name: each.trainable for each in header.variables}
    assert (trainable["kernel"], trainable["count"]) == (True, False)
