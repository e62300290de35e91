"""`tdbg diff --run REF.py -- PORT.py`: records two programs and compares them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.programs import TDBG, run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

REFERENCE = """
import sys
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(8, 5)).astype("float32"))
w = tf.Variable(rng.normal(size=(5, 3)).astype("float32"))
scale = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
for step in range(2):
    print(float(tf.reduce_sum(tf.exp(-tf.nn.relu(x @ w) * scale))))
"""

PORT = """
import sys
import numpy as np
import torch

rng = np.random.default_rng(0)
x = torch.tensor(rng.normal(size=(8, 5)).astype("float32"))
w = torch.tensor(rng.normal(size=(5, 3)).astype("float32"))
for step in range(2):
    print(float(torch.exp(-torch.relu(x @ w) * 1.0).sum()))
if "--fail" in sys.argv:
    raise SystemExit(7)
if "--raise" in sys.argv:
    raise ValueError("no data")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    (folder / "ref.py").write_text(REFERENCE)
    (folder / "port.py").write_text(PORT)
    (folder / "nothing.py").write_text("")
    return folder


def said(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = run(
        [TDBG, "diff", *words], cwd=folder, capture_output=True, text=True, timeout=300
    )
    return done


def test_two_programs_that_agree(folder: Path) -> None:
    done = said(folder, "--run", "ref.py", "--out", "traces", "--", "port.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The same: ")
    assert "tdbg: the traces are in traces\n" in done.stderr
    assert said(folder, "traces/a", "traces/b").returncode == 0


def test_arguments_of_a_program(folder: Path) -> None:
    done = said(folder, "--run", "ref.py --scale 0.5", "--json", "--", "port.py")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"]) == (1, "diverged")
    assert told["first"]["b"]["source"]["line"] == 10


def test_a_program_that_fails_is_told_and_no_success(folder: Path) -> None:
    done = said(folder, "--run", "ref.py", "--", "port.py", "--fail")
    assert done.returncode == 2
    assert "note: port.py --fail ended with code 7: compared is what it computed before" in done.stdout


def test_a_program_that_raises_is_told_once_by_its_error(folder: Path) -> None:
    done = said(folder, "--run", "ref.py", "--json", "--", "port.py", "--raise")
    notes = json.loads(done.stdout)["notes"]
    assert (done.returncode, notes[-1]) == (2, "B ended with ValueError: no data: compared is what it computed before")
    assert not [each for each in notes if "code 1" in each]


def test_a_program_that_computes_nothing(folder: Path) -> None:
    done = said(folder, "--run", "nothing.py", "--", "port.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing.py ended, and nothing was recorded of it" in done.stderr.splitlines()[-1]
