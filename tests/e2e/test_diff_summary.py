"""`tdbg export --summary` and `tdbg diff --against`: numbers are kept in a repository, and runs compared with them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import tensordbg
from tests.programs import TDBG, run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

TENSORFLOW = """
import sys
import numpy as np
import tensorflow as tf

steps, epsilon = int(sys.argv[1]), float(sys.argv[2])
rng = np.random.default_rng(0)
w = tf.Variable(rng.normal(size=(6, 4)).astype("float32"), name="w")
x = tf.constant(rng.normal(size=(16, 6)).astype("float32"))
optimizer = tf.keras.optimizers.SGD(0.1)

@tf.function
def train(x):
    with tf.GradientTape() as tape:
        h = tf.nn.tanh(x @ w)
        h = h / tf.sqrt(tf.reduce_mean(h * h, axis=0) + epsilon)
        loss = tf.reduce_mean(tf.exp(h))
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    return loss

for _ in range(steps):
    print(float(train(x)))
"""

TORCH = """
import sys
import torch

steps, epsilon = int(sys.argv[1]), float(sys.argv[2])
torch.manual_seed(0)
norm = torch.nn.LayerNorm(4, eps=epsilon)
model = torch.nn.Sequential(torch.nn.Linear(6, 4), norm, torch.nn.GELU(), torch.nn.Linear(4, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(16, 6), torch.randn(16, 1)
for _ in range(steps):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(loss.item())
"""


def said(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = run(
        [TDBG, *words], cwd=folder, capture_output=True, text=True, timeout=300
    )
    return done


@pytest.fixture(scope="module", params=["tensorflow", "torch"])
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "train.py").write_text({"tensorflow": TENSORFLOW, "torch": TORCH}[request.param])
    for name, words in {"before": ("2", "1e-5"), "longer": ("4", "1e-5"), "changed": ("2", "1e-2")}.items():
        assert said(folder, "run", "--out", name, "train.py", *words).returncode == 0
    done = said(folder, "export", "--summary", "before", "numbers.json")
    assert (done.returncode, done.stdout) == (0, "numbers.json\n"), done.stderr
    return folder


def test_a_run_that_computes_the_same(runs: Path) -> None:
    for name in ("before", "longer"):
        done = said(runs, "diff", "--against", "numbers.json", name)
        assert (done.returncode, done.stdout.partition(":")[0]) == (0, "The same"), done.stdout
    tensordbg.assert_same(runs / "numbers.json", runs / "before")


def test_a_regression_is_found_as_it_is_between_two_traces(runs: Path) -> None:
    kept = said(runs, "diff", "--against", "numbers.json", "changed", "--json")
    whole = said(runs, "diff", "before", "changed", "--json")
    assert (kept.returncode, whole.returncode) == (1, 1)
    told, reference = (json.loads(each.stdout)["first"] for each in (kept, whole))
    for side in ("a", "b"):
        assert told[side]["op_type"] == reference[side]["op_type"]
        assert told[side]["source"]["line"] == reference[side]["source"]["line"]
        assert told[side]["source"]["text"] == reference[side]["source"]["text"]
    assert told["kind"] == reference["kind"]
    with pytest.raises(AssertionError, match=r"numbers\.json and .*changed are not the same"):
        tensordbg.assert_same(runs / "numbers.json", runs / "changed")


def test_the_file_is_small_and_names_no_folder(runs: Path) -> None:
    text = (runs / "numbers.json").read_text()
    assert len(text) < 100_000
    assert str(runs) not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--against", "none.json", "before"), "`tdbg export --summary FILE` makes one"),
        (("--against", "train.py", "before"), "train.py: is no summary of a run"),
        (("--against", "numbers.json", "before", "longer"), "one run is compared with it; name that alone"),
    ],
)
def test_what_is_wrong_is_told(runs: Path, words: tuple[str, ...], message: str) -> None:
    done = said(runs, "diff", *words)
    assert done.returncode == 2
    assert message in done.stderr
