"""Keras programs whose backend is PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tensordbg
from tensordbg.capture.reader import list_captures
from tensordbg.trace.reader import open_trace
from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
pytest.importorskip("keras", reason="Keras is not installed here")

PROGRAM = """
import keras, numpy as np
from keras import ops

keras.utils.set_random_seed(0)

class LogLoss(keras.losses.Loss):
    def call(self, y, p):
        return -ops.mean(y * ops.log(p), axis=-1)

x = np.random.rand(64, 8).astype("float32")
y = keras.utils.to_categorical((x.sum(1) > 4).astype(int), 2)
inputs = keras.Input((8,))
hidden = keras.layers.Dense(16, activation="relu", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(2, activation="relu", name="out")(hidden))
model.compile(optimizer=keras.optimizers.Adam(0.01), loss=LogLoss())
print(model.fit(x, y, epochs=1, batch_size=16, verbose=0).history)
print([float(each.numpy().sum()).hex() for each in model.variables])
"""


def run(folder: Path, *start: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(PROGRAM)
    environment = {**os.environ, "KERAS_BACKEND": "torch", "TF_CPP_MIN_LOG_LEVEL": "3"}
    words = [sys.executable, *start, "train.py"]
    return programs.run(words, cwd=folder, env=environment, capture_output=True, check=False, text=True, timeout=500)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keras")


def test_steps_layers_and_variables_are_those_of_keras(folder: Path) -> None:
    plain, recorded = run(folder), run(folder, "-m", "tensordbg", "run")
    assert (recorded.returncode, recorded.stdout) == (0, plain.stdout)
    (recorded_in,) = (folder / "tdbg-traces").iterdir()
    trace = tensordbg.open(recorded_in)
    origin = trace.why().origins[0]
    assert origin.cause == "log_of_zero"
    assert origin.source is not None
    assert origin.source.text.strip() == "return -ops.mean(y * ops.log(p), axis=-1)"
    assert trace.why().steps == 4 + 1, "each batch is one, and behind the last Keras reads the loss"
    assert {"hidden", "out"} <= {layer.path for layer in trace.layers()}
    names = {each.name for each in open_trace(recorded_in).variables().values()}
    assert {"hidden/kernel", "out/bias", "hidden/kernel/momentum"} <= names
    (optimizer,) = open_trace(recorded_in).facts.optimizers
    assert {"learning_rate": 0.01, "beta_1": 0.9}.items() <= optimizer.settings.items()


def test_a_bad_step_is_caught_and_replayed_and_the_exit_code_is_the_traps(folder: Path) -> None:
    trapped = run(folder, "-m", "tensordbg", "trap")
    assert trapped.returncode == 3, trapped.stderr
    assert "step 0 of Functional: the loss is not finite" in trapped.stderr
    assert "went wrong again, the same bit for bit" in trapped.stderr
    assert [each.name for each in list_captures(folder / "captures")] == ["Functional-0"]
