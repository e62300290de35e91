"""`--overhead SHARE`: a budget chooses the steps, and the program computes what it would have computed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tensordbg
from tests import programs

# Its numbers are printed: a function that calls another, random numbers, and eager operations around it.
PROGRAM = """
import tensorflow as tf

tf.random.set_seed(1)
weight = tf.Variable(1.0, name="weight")

@tf.function
def noise():
    return tf.random.normal([])

@tf.function
def rate(x):
    return tf.math.log(x)

@tf.function
def train_step(x):
    y = rate(x)
    weight.assign_sub(0.01 * y * weight)
    return y

total = tf.constant(0.0)
for step in range(60):
    total = total + train_step(tf.constant(61.0 - step)) + noise()
    print(step, total.numpy().item().hex(), weight.numpy().item().hex())
"""

KERAS = """
import numpy as np
import keras

keras.utils.set_random_seed(1)
model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dropout(0.2), keras.layers.Dense(1)])
model.compile("adam", "mse")
data = np.random.default_rng(0)
x, y = data.normal(size=(256, 4)), data.normal(size=(256, 1))
history = model.fit(x, y, batch_size=8, epochs=3, validation_data=(x, y), verbose=0)
for name, values in history.history.items():
    print(name, [value.hex() for value in values])
"""

TORCH = """
import torch

torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(8, 4), torch.randn(8, 1)
for step in range(60):
    loss = torch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item().hex())
"""

EAGER = """
import tensorflow as tf

weight = tf.Variable(1.0, name="weight")
for step in range(60):
    with tf.GradientTape() as tape:
        loss = tf.square(weight * 3.0 - tf.math.log(61.0 - step))
    gradient = tape.gradient(loss, weight)
    weight.assign_sub(0.01 * gradient)
    print(step, loss.numpy().item().hex())
"""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return programs.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )


@pytest.fixture(scope="module", params=[PROGRAM, KERAS, TORCH, EAGER], ids=["functions", "keras", "torch", "eager"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    programs.skip_without_what_it_imports(request.param)
    folder = tmp_path_factory.mktemp("overhead")
    (folder / "train.py").write_text(request.param)
    return folder


@pytest.fixture(scope="module")
def recorded(folder: Path) -> subprocess.CompletedProcess[str]:
    return run(folder, "-m", "tensordbg", "run", "--overhead", "2%", "train.py")


def test_the_program_computes_the_same(folder: Path, recorded: subprocess.CompletedProcess[str]) -> None:
    assert recorded.stdout == run(folder, "train.py").stdout


def test_the_first_step_is_there(folder: Path, recorded: subprocess.CompletedProcess[str]) -> None:
    trace = tensordbg.open(folder / "tdbg-traces")
    rows = trace.sql(
        "select distinct step from executions where execution in (select execution from tensors)"
    ).to_pylist()
    assert 0 in {row["step"] for row in rows}


def test_why_says_what_cannot_be_known(folder: Path, recorded: subprocess.CompletedProcess[str]) -> None:
    notes = tensordbg.why(folder / "tdbg-traces").notes
    assert any(note.startswith("a budget of 2 % of the program's time chose the steps") for note in notes)
    assert any("steps were recorded" in note and "can't be known" in note for note in notes)


def test_what_is_no_share(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    done = programs.run(
        [sys.executable, "-m", "tensordbg", "run", "--overhead", "200%", "train.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 2
    assert "'200%' is no share of the program's time; give one such as 2% or 0.02" in done.stderr
