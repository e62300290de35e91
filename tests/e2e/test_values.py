"""Whole tensors of real programs, bit by bit: functions, loops, eager code, many threads, filters, a killed program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg import ValueFilter
from tensordbg.model import Detail
from tensordbg.recording.plan import Plan
from tensordbg.trace.reader import TraceReader, open_trace
from tests import programs

ENDLESS = """
import tensorflow as tf
x = tf.Variable(tf.random.stateless_normal([40, 50], [1, 2]))

@tf.function
def step():
    x.assign(tf.sin(x) * 1.5 + 0.01)
    return tf.reduce_sum(x)

for turn in range(10**9):
    step()
    if turn == 300:
        print("on the way", flush=True)
"""


def keep(folder: Path, program: Callable[[], object], wanted: ValueFilter | None = None) -> TraceReader:
    """Records a program with its values."""
    with tensordbg.record(folder, detail="values", values=wanted) as recording:
        program()
    return open_trace(recording.path)


def values_of(reader: TraceReader, name: str) -> list[tuple[int, np.ndarray[Any, Any]]]:
    """The step and the elements of each event of an operation, where they were kept."""
    sites = {number for number, site in reader.sites().items() if site.name == name}
    rows = reader.table("tensors", ["event", "site", "step", "value_position"]).to_pylist()
    wanted = [row for row in rows if row["site"] in sites and row["value_position"] is not None]
    return [(row["step"], reader.value(row["event"])) for row in wanted]


def test_function_and_eager_values_are_those_computed(tmp_path: Path) -> None:
    computed = []

    @tf.function
    def exponential(x: tf.Tensor) -> tf.Tensor:
        return tf.exp(x)

    def program() -> None:
        for step in range(3):
            x = tf.constant(np.random.default_rng(step).normal(size=(5, 4)) * 300, tf.float32)
            computed.append((exponential(x).numpy(), (x * x).numpy()))

    reader = keep(tmp_path, program)
    in_graph = [value for _, value in values_of(reader, "Exp")]
    eager = [value for _, value in values_of(reader, "Mul")]
    assert [value.tobytes() for value in in_graph] == [value.tobytes() for value, _ in computed]
    assert [value.tobytes() for value in eager] == [value.tobytes() for _, value in computed]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "float16", "bfloat16", "float64", "complex64", "complex128"]
)
def test_dtypes(tmp_path: Path, dtype: str) -> None:
    given = tf.cast(tf.constant([[0, 1, 2], [3, 1, 0]]), dtype)

    @tf.function
    def turned(x: tf.Tensor) -> tf.Tensor:
        return tf.transpose(x)

    reader = keep(tmp_path, lambda: (turned(given), tf.reverse(given, [1])))
    expected = given.numpy()
    for name, array in (("transpose", expected.T), ("ReverseV2", expected[:, ::-1])):
        ((_, value),) = values_of(reader, name)
        assert value.dtype == expected.dtype
        assert value.tobytes() == array.tobytes()


def test_each_turn_of_a_loop(tmp_path: Path) -> None:
    @tf.function
    def powers() -> tf.Tensor:
        x = tf.constant([1.0, 3.0])
        for _ in tf.range(5):
            x *= 2.0
        return x

    found = [value.tolist() for _, value in values_of(keep(tmp_path, powers), "while/mul")]
    assert found == [[2.0**turn, 3 * 2.0**turn] for turn in range(1, 6)]


def test_many_threads_of_the_runtime_write_at_once(tmp_path: Path) -> None:
    @tf.function
    def wide(x: tf.Tensor) -> list[tf.Tensor]:
        return [tf.fill([50 + branch, 30], x + float(branch), name=f"branch_{branch}") for branch in range(40)]

    def program() -> None:
        for step in range(20):
            wide(tf.constant(float(step * 100)))

    reader = keep(tmp_path, program, ValueFilter(name="^branch_"))
    for branch in range(40):
        found = values_of(reader, f"branch_{branch}")
        assert [step for step, _ in found] == list(range(20))
        for step, value in found:
            assert value.shape == (50 + branch, 30)
            assert (value == step * 100 + branch).all()


def test_steps_of_a_filter(tmp_path: Path) -> None:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x)

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return inner(x) + tf.cos(x)

    def program() -> None:
        for step in range(5):
            outer(tf.constant([float(step)]))

    reader = keep(tmp_path, program, ValueFilter(op_types=("Sin", "Cos"), steps=(1, 3)))
    for name, function in (("Sin", np.sin), ("Cos", np.cos)):
        found = values_of(reader, name)
        assert [step for step, _ in found] == [1, 2, 3]
        assert [value[0] for _, value in found] == pytest.approx([function(step) for step in (1, 2, 3)])
    assert reader.table("tensors", ["value_position"])["value_position"].drop_null().length() == 6


def test_functions_and_files_of_a_filter(tmp_path: Path) -> None:
    @tf.function
    def chosen(x: tf.Tensor) -> tf.Tensor:
        return tf.exp(x)

    @tf.function
    def other(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x)

    def program() -> None:
        other(chosen(tf.constant([1.0])))

    for number, (wanted, count) in enumerate(
        [
            (ValueFilter(function="chosen"), (1, 0)),
            (ValueFilter(file="test_values.py"), (1, 1)),
            (ValueFilter(file="elsewhere.py"), (0, 0)),
        ]
    ):
        reader = keep(tmp_path / str(number), program, wanted)
        assert (len(values_of(reader, "Exp")), len(values_of(reader, "Sin"))) == count


def test_a_used_up_budget_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def double(x: tf.Tensor) -> tf.Tensor:
        return x * 2.0

    def program() -> None:
        for _ in range(10):
            double(tf.ones([16]))

    reader = keep(tmp_path, program, ValueFilter(op_types=("Mul",), budget=256))
    assert len(values_of(reader, "mul")) == 4
    assert len(reader.facts.warnings) == 1
    assert reader.facts.warnings[0].startswith(
        "the values of 6 tensors were not kept: the budget of 256 bytes is used up; choose fewer with a filter"
    )
    assert capsys.readouterr().err.count("tdbg: warning: the values of 6 tensors") == 1


def test_two_recordings_in_one_process_choose_for_themselves(tmp_path: Path) -> None:
    @tf.function
    def both(x: tf.Tensor) -> tf.Tensor:
        return tf.exp(x) + tf.sin(x)

    def program() -> None:
        both(tf.constant([0.5]))

    first = keep(tmp_path, program, ValueFilter(name="Exp"))
    second = keep(tmp_path, program, ValueFilter(name="Sin"))
    assert [len(values_of(reader, "Exp")) for reader in (first, second)] == [1, 0]
    assert [len(values_of(reader, "Sin")) for reader in (first, second)] == [0, 1]


def test_values_of_a_killed_program(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    words = ["trace", Plan(Detail.VALUES).to_json(), "endless.py"]
    with subprocess.Popen(
        [sys.executable, "-m", "tensordbg.recording.launch", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "on the way\n"
        time.sleep(0.2)
        os.kill(process.pid, signal.SIGKILL)
    reader = open_trace(tmp_path / "trace")
    assert not reader.finished
    found = values_of(reader, "Sin")
    assert len(found) > 300
    # Each turn goes on from what the one before gave.
    made = [value for _, value in values_of(reader, "add")]
    for before, (_, after) in zip(made, found[1:], strict=False):
        assert np.allclose(np.sin(before), after, atol=1e-6)


LOOP = """
import tensorflow as tf

@tf.function
def powers(x):
    for _ in tf.range(3):
        x *= 2.0
    return x + 1.0

for step in range(4):
    powers(tf.constant([1.0, float(step)]))
"""


def test_from_the_command_line_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP)

    def tdbg(*words: str) -> str:
        command = [sys.executable, "-m", "tensordbg", *words]
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
        return programs.run(
            command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, check=True, text=True
        ).stdout

    tdbg("run", "--detail", "values", "--values-of", "while/mul$", "--values-steps", "2..", "loop.py")
    assert tdbg("show", "while/mul", "--values", "--step", "3", "--slice", "1").splitlines() == [
        line
        for turn, value in enumerate(("6.", "12.", "24."))
        for line in (f"step 3, iteration {turn}  while/mul:0  float32[2]", value)
    ]
    tdbg("show", "while/mul", "--values", "--write", "history.npy")
    history = np.load(tmp_path / "history.npy")
    assert history.tolist() == [[2.0**turn, step * 2.0**turn] for step in (2, 3) for turn in (1, 2, 3)]
    assert tensordbg.open(tmp_path / "tdbg-traces").tensor("while/mul:0").values().tolist() == history.tolist()
