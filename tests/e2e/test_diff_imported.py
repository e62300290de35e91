"""`tdbg diff` on a real log of TensorFlow's own debugger: against a recording of its program, and of a port."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import TDBG, run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

TENSORFLOW = """
import sys
import numpy as np
import tensorflow as tf

if len(sys.argv) > 1:
    enable = tf.debugging.experimental.enable_dump_debug_info
    enable(sys.argv[1], tensor_debug_mode="FULL_TENSOR", circular_buffer_size=-1)
rng = np.random.default_rng(0)
w = tf.Variable(rng.normal(size=(6, 4)).astype("float32"))
x = tf.constant(rng.normal(size=(16, 6)).astype("float32"))

@tf.function
def forward(x):
    h = tf.nn.tanh(tf.matmul(x, w))
    return tf.reduce_mean(tf.exp(tf.nn.softmax(h, axis=1) * 3.0))

for _ in range(2):
    print(float(forward(x)))
"""

TORCH = """
import sys
import numpy as np
import torch

rng = np.random.default_rng(0)
w = torch.tensor(rng.normal(size=(6, 4)).astype("float32"))
x = torch.tensor(rng.normal(size=(16, 6)).astype("float32"))
h = torch.tanh(x @ w)
print(torch.exp(torch.softmax(h, dim=int(sys.argv[1])) * 3.0).mean().item())
"""


def said(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = run(
        [TDBG, *words], cwd=folder, capture_output=True, text=True, timeout=300
    )
    return done


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    (folder / "reference.py").write_text(TENSORFLOW)
    (folder / "port.py").write_text(TORCH)
    logged = run([sys.executable, "reference.py", "log"], cwd=folder, capture_output=True, text=True)
    assert logged.returncode == 0, logged.stderr[-2000:]
    assert said(folder, "import", "log", "--out", "imported").returncode == 0
    assert said(folder, "run", "--out", "recorded", "reference.py").returncode == 0
    for name, axis in {"port": "1", "wrong": "0"}.items():
        assert said(folder, "run", "--out", name, "port.py", axis).returncode == 0
    return folder


@pytest.mark.parametrize(("a", "b"), [("imported", "recorded"), ("recorded", "imported"), ("imported", "port")])
def test_the_same_numbers(runs: Path, a: str, b: str) -> None:
    done = said(runs, "diff", a, b, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], told["first"]) == (0, "same", None), done.stdout
    assert told["matched"] >= 5


def test_a_wrong_axis_of_the_port_is_found(runs: Path) -> None:
    done = said(runs, "diff", "imported", "wrong", "--json")
    first = json.loads(done.stdout)["first"]
    assert done.returncode == 1
    assert (first["a"]["op_type"], first["b"]["op_type"]) == ("Softmax", "aten::_softmax")
    assert first["a"]["source"]["text"].startswith("return tf.reduce_mean(tf.exp(tf.nn.softmax(h")
    assert first["added"] is True
