"""`--every N`: one step in N is recorded, whole, and the program computes what it would have computed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tensordbg
from tensordbg.errors import UsageError
from tests import programs

# Its numbers are printed; a function, eager operations around it, and a Python function that the graph calls.
PROGRAM = """
import tensorflow as tf

weight = tf.Variable(1.0, name="weight")

def double(x):
    return x * 2.0 + tf.zeros([])

@tf.function
def train_step(x):
    y = tf.py_function(double, [x], tf.float32)
    weight.assign_sub(0.01 * y * weight)
    return y

total = tf.constant(0.0)
for step in range(10):
    rate = tf.math.log(7.0 - tf.cast(step, tf.float32))
    total = total + train_step(rate)
    print(step, total.numpy(), weight.numpy())
"""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return programs.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("every")
    (folder / "train.py").write_text(PROGRAM)
    return folder


@pytest.fixture(scope="module")
def recorded(folder: Path) -> subprocess.CompletedProcess[str]:
    return run(folder, "-m", "tensordbg", "run", "--every", "4", "train.py")


def test_the_program_computes_the_same(folder: Path, recorded: subprocess.CompletedProcess[str]) -> None:
    assert recorded.stdout == run(folder, "train.py").stdout


def test_only_these_steps_are_there_and_they_are_whole(
    folder: Path, recorded: subprocess.CompletedProcess[str]
) -> None:
    trace = tensordbg.open(folder / "tdbg-traces")
    steps = trace.sql(
        "select name, list(distinct step order by step) as steps from tensors join sites using (site) "
        "where execution >= 0 group by name"
    ).to_pylist()
    found = {row["name"]: row for row in steps}
    for name in ("Log", "AddV2", "mul", "ReadVariableOp"):
        assert found[name]["steps"] == [0, 4, 8], name
    counts = trace.sql(
        "select execution, count(*) as events from tensors join executions using (execution) where function >= 0 "
        "group by execution"
    )
    assert [row["events"] for row in counts.to_pylist()] == [counts.to_pylist()[0]["events"]] * 3
    calls = trace.sql("select step from executions where function >= 0 order by 1").to_pylist()
    assert [row["step"] for row in calls] == [0, 4, 8]


def test_why_tells_where_trouble_is_seen_first(folder: Path, recorded: subprocess.CompletedProcess[str]) -> None:
    result = tensordbg.why(folder / "tdbg-traces")
    assert result.origins[0].view.step == 8
    assert any(note.startswith("one step in 4 was recorded") for note in result.notes)


def test_a_number_below_one(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="one step in 0 can't be recorded; give a number from 1, which records all"),
        tensordbg.record(tmp_path, every=0),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_an_option_that_there_is_not(tmp_path: Path) -> None:
    with (
        pytest.raises(TypeError, match=r"record\(\) got an unexpected keyword argument 'evry'"),
        tensordbg.record(tmp_path, evry=2),  # type: ignore[call-arg]
    ):
        pass
