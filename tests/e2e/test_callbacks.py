"""The examples of `examples/callbacks` with the real libraries: each records, and names its mistake.

Keras is where the tests run; the others are in an environment of their own, `make beside`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import programs
from tests.programs import BESIDE

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "callbacks"

CAUSES = {
    "keras_fit": "log_of_zero",
    "lightning_fit": "log_of_zero",
    "transformers_train": "arithmetic_overflow",
    "accelerate_loop": "log_of_zero",
}


def python_for(example: str) -> str:
    if example == "keras_fit":
        return sys.executable
    if not BESIDE.exists():
        pytest.skip("`make beside` sets up the environment with Lightning, Transformers and Accelerate")
    return str(BESIDE)


def run(folder: Path, python: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    return programs.run(
        [python, *words], cwd=folder, env=environment, capture_output=True, check=False, text=True, timeout=300
    )


def traces(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.glob("tdbg-traces/*/trace.json"))


@pytest.mark.parametrize("example", CAUSES)
def test_an_example_records_and_names_its_mistake(tmp_path: Path, example: str) -> None:
    python = python_for(example)
    done = run(tmp_path, python, str(EXAMPLES / f"{example}.py"))
    assert done.returncode == 0, done.stderr
    (trace,) = traces(tmp_path)
    assert f"cause   {CAUSES[example]}: " in done.stderr
    assert "warning" not in done.stderr
    assert done.stderr.splitlines()[-1].endswith(f"`tdbg why {trace.relative_to(tmp_path)}` tells more")
    answer = json.loads(run(tmp_path, python, "-m", "tensordbg", "why", "--json").stdout)
    assert answer["origins"][0]["cause"] == CAUSES[example]
    assert answer["origins"][0]["source"]["file"] == str(EXAMPLES / f"{example}.py")


@pytest.mark.parametrize("example", ["keras_fit", "lightning_fit"])
def test_nothing_is_recorded_twice_under_tdbg_run(tmp_path: Path, example: str) -> None:
    done = run(tmp_path, python_for(example), "-m", "tensordbg", "run", str(EXAMPLES / f"{example}.py"))
    assert done.returncode == 0, done.stderr
    assert len(traces(tmp_path)) == 1
    assert done.stderr.count(f"cause   {CAUSES[example]}: ") == 1


@pytest.mark.parametrize("example", ["keras_fit", "lightning_fit"])
def test_a_trap_leaves_the_weights_unhurt(tmp_path: Path, example: str) -> None:
    text = (EXAMPLES / f"{example}.py").read_text()
    trapped = re.sub(r"Callback\((every=5)?\)\n", 'Callback(on_bad="skip")\n', text)
    assert trapped != text
    trapped += "print(len(callback.training.captures) > 0)\n"
    if example == "keras_fit":
        trapped += "print(all(np.isfinite(weight).all() for weight in model.get_weights()))\n"
    (tmp_path / "train.py").write_text(trapped)
    done = run(tmp_path, python_for(example), "train.py")
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) & {"True", "False"} == {"True"}
    assert "tdbg: a bad step was captured; `tdbg replay " in done.stderr


def test_an_error_in_the_training_leaves_a_trace_that_is_told_of(tmp_path: Path) -> None:
    stopping = (
        "class Stopping(keras.callbacks.Callback):\n"
        "    def on_epoch_end(self, epoch, logs=None):\n"
        "        raise RuntimeError('enough')\n\n\n"
    )
    text = (EXAMPLES / "keras_fit.py").read_text()
    text = text.replace("callback = ", f"{stopping}callback = ").replace("[callback]", "[callback, Stopping()]")
    (tmp_path / "train.py").write_text(text)
    done = run(tmp_path, sys.executable, "train.py")
    assert done.returncode == 1
    assert "RuntimeError: enough" in done.stderr
    assert "cause   log_of_zero: " in done.stderr
    assert len(traces(tmp_path)) == 1
