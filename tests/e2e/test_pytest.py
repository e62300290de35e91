"""`pytest --tdbg` as a project has it: its tests run in a pytest of their own, with TensorFlow and PyTorch."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

MANUAL = Path(__file__).parents[2] / "docs" / "pytest.md"
TENSORFLOW = """
import pytest
import tensorflow as tf


@tf.function
def entropy(p):
    return -tf.reduce_sum(p * tf.math.log(p))


def test_good():
    assert float(entropy(tf.constant([0.5, 0.5]))) > 0


def test_bad():
    assert entropy(tf.constant([1.0, 0.0])).shape == ()


@pytest.mark.tdbg_allow
def test_all_is_allowed():
    entropy(tf.constant([1.0, 0.0]))


@pytest.mark.tdbg_allow(op="Log")
def test_only_infinities_of_the_log_are_allowed():
    entropy(tf.constant([1.0, 0.0]))


@pytest.mark.tdbg_allow(op="Log")
def test_log_is_allowed():
    float(tf.exp(tf.math.log(tf.constant(0.0))))


@pytest.mark.xfail(strict=True)
def test_known():
    float(entropy(tf.constant([1.0, 0.0])))


def test_mask():
    scores = tf.where([[True, False]], [[1.0, 2.0]], -float("inf"))
    assert float(tf.reduce_sum(tf.nn.softmax(scores))) == 1.0
"""
TORCH = """
import unittest

import pytest
import torch


class TestExpected(unittest.TestCase):
    @unittest.expectedFailure
    def test_known(self):
        torch.log(torch.zeros(2)).sum().item()

    @unittest.expectedFailure
    def test_mended(self):
        torch.log(torch.ones(2)).sum().item()


@pytest.fixture
def model():
    torch.manual_seed(0)
    return torch.nn.Linear(2, 1)


def test_good(model):
    model(torch.ones(3, 2)).sum().backward()


def test_bad(model):
    x = torch.sqrt(-torch.ones(3, 2))
    assert model(x).shape == (3, 1)


def test_its_own_assertion(model):
    loss = torch.log(torch.zeros(2)).sum()
    assert loss.item() == 3.0


def test_mask():
    scores = torch.ones(2, 2).masked_fill(torch.eye(2).bool(), float("-inf"))
    assert torch.softmax(scores, -1).sum().item() == 2.0
"""


def outcome(folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_numbers.py").write_text(program)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-p", "tensordbg.testing.pytest_plugin", "-p", "no:cacheprovider", "-rA"]
    return subprocess.run(
        [*command, *words], cwd=folder, env=environment, capture_output=True, check=False, text=True, timeout=300
    )


def results(said: str) -> dict[str, str]:
    line = r"^(PASSED|FAILED|XFAIL|ERROR) test_numbers.py::(?:\w+::)?(\w+)"
    return {name: what for what, name in re.findall(line, said, re.MULTILINE)}


@pytest.fixture(scope="module")
def of_tensorflow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("tensorflow")
    return folder, outcome(folder, TENSORFLOW, "--tdbg").stdout


def test_tensorflow(of_tensorflow: tuple[Path, str]) -> None:
    _, said = of_tensorflow
    assert results(said) == {
        "test_good": "PASSED",
        "test_bad": "FAILED",
        "test_all_is_allowed": "PASSED",
        "test_only_infinities_of_the_log_are_allowed": "FAILED",
        "test_log_is_allowed": "PASSED",
        "test_known": "XFAIL",
        "test_mask": "PASSED",
    }


def test_the_report_stands_in_the_failure(of_tensorflow: tuple[Path, str]) -> None:
    _, said = of_tensorflow
    assert "log_of_zero: " in said or "zero_times_inf: " in said
    assert re.search(r"^ > +8     return -tf\.reduce_sum\(p \* tf\.math\.log\(p\)\)$", said, re.MULTILINE)


def test_traces_of_failed_tests_are_kept(of_tensorflow: tuple[Path, str]) -> None:
    folder, said = of_tensorflow
    kept = {path.name for path in (folder / "tdbg-traces").iterdir()}
    assert {name.partition("_test_")[2] for name in kept} == {"bad", "only_infinities_of_the_log_are_allowed"}
    (bad,) = (name for name in kept if name.endswith("_test_bad"))
    assert f"`tdbg why tdbg-traces/{bad}` shows this again" in said
    words = [sys.executable, "-m", "tensordbg", "why", f"tdbg-traces/{bad}", "--exit-code"]
    assert subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=60).returncode == 1


def test_torch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    # With the test that the manual shows, and what it says of it.
    page = MANUAL.read_text()
    (shown,) = re.findall(r"```python\n(import torch\n.*?)```", page, re.DOTALL)
    said = outcome(tmp_path, TORCH + shown, "--tdbg", "--tdbg-out", "kept").stdout
    (headline,) = re.findall(r"^    (aten::log:0 .*)$", page, re.MULTILINE)
    assert headline in said
    assert results(said) == {
        "test_known": "XFAIL",
        "test_mended": "FAILED",
        "test_loss_goes_down": "FAILED",
        "test_good": "PASSED",
        "test_bad": "FAILED",
        "test_its_own_assertion": "FAILED",
        "test_mask": "PASSED",
    }
    assert "root_of_negative" in said
    assert re.search(r"assert -inf == 3\.0", said)
    assert re.search(r"the trace is kept/\S+_test_its_own_assertion\n", said)
    assert len(list((tmp_path / "kept").iterdir())) == 4


def test_off_it_imports_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    program = """
import sys

def test_nothing_is_imported():
    loaded = {name for name in sys.modules if name.startswith("tensordbg")}
    assert loaded <= {
        "tensordbg", "tensordbg.lazy", "tensordbg.testing", "tensordbg.testing.pytest_plugin",
    }, loaded
    assert not {"tensorflow", "torch", "keras", "numpy", "pyarrow"} & set(sys.modules)
"""
    done = outcome(tmp_path, program)
    assert results(done.stdout) == {"test_nothing_is_imported": "PASSED"}, done.stdout
    assert not (tmp_path / "tdbg-traces").exists()


def test_a_test_that_records_by_itself_is_left_alone(tmp_path: Path) -> None:
    program = """
import tensordbg
import numpy as np

def test_own(tmp_path):
    with tensordbg.record(tmp_path) as recording:
        import tensorflow as tf
        float(tf.math.log(0.0))
    assert len(tensordbg.why(tmp_path).origins) == 1

def test_block():
    import tensorflow as tf
    with tensordbg.assert_finite():
        float(tf.math.log(1.0))

def test_bad_block():
    import tensorflow as tf
    with tensordbg.assert_finite():
        float(tf.math.log(0.0))
"""
    said = outcome(tmp_path, program, "--tdbg").stdout
    assert results(said) == {"test_own": "PASSED", "test_block": "PASSED", "test_bad_block": "FAILED"}
    assert "AssertionError: numbers stopped being finite; the trace is " in said


def test_a_marker_that_is_not_understood(tmp_path: Path) -> None:
    program = """
import pytest

@pytest.mark.tdbg_allow(operation="Log")
def test_it():
    pass
"""
    done = outcome(tmp_path, program, "--tdbg")
    assert done.returncode != 0
    assert "has the key 'operation', but a rule knows op, name, line and nan" in done.stdout + done.stderr
