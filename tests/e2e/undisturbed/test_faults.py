"""Whatever breaks inside the recorder: one warning, and the program goes on with the same results."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tests import programs
from tests.e2e.programs.checking import bits

BACKEND = "tensordbg.backends.tensorflow"
RECORDING = "tensordbg.recording"

FAULTS = {
    "instrumenting a function": (f"{BACKEND}.functions.instrument", "Functions._instrument"),
    "describing a graph": (f"{BACKEND}.functions.graphs", "Graphs.describe"),
    "adding the probes": (f"{BACKEND}.functions.definition", "add_probes"),
    "keeping the plain function": (f"{BACKEND}.functions.originals", "OriginalFunctions.keep"),
    "an eager operation": (f"{BACKEND}.eager.recording", "Eager._operation"),
    "an eager tensor": (f"{BACKEND}.eager.results", "Results.record"),
    "an eager input": (f"{BACKEND}.eager.recording", "Eager.known_input"),
    "reading a variable": (f"{BACKEND}.eager.recording", "Eager._read"),
    "the beginning of a call": (f"{BACKEND}.eager.recording", "Eager._begin_call"),
    "marking results": (f"{BACKEND}.eager.recording", "input_reference"),
    "looking at a stack": (f"{BACKEND}.eager.recording", "stack_key"),
    "an eager stack": (f"{BACKEND}.stacks", "Stacks.current"),
    "a graph's stacks": (f"{BACKEND}.stacks", "Stacks.of_graph"),
    "the name of a variable": (f"{BACKEND}.variables", "Variables.learn_name"),
    "the number of a variable": (f"{BACKEND}.variables", "Variables.number_of"),
    "attributes": (f"{BACKEND}.functions.graphs", "attributes_json"),
    "reading source text": (f"{RECORDING}.catalog", "Catalog.keep_source"),
    "the catalog's stacks": (f"{RECORDING}.catalog", "Catalog.stack"),
    "the catalog's sites": (f"{RECORDING}.catalog", "Catalog.add_sites"),
    "the catalog's functions": (f"{RECORDING}.catalog", "Catalog.add_function"),
    "an execution's beginning": (f"{RECORDING}.log", "EventLog.begin_execution"),
    "an execution's end": (f"{RECORDING}.log", "EventLog.end_execution"),
    "an eager event": (f"{RECORDING}.log", "EventLog.append_tensor"),
    "a device's number": (f"{RECORDING}.log", "EventLog.device"),
    "writing sites": ("tensordbg.trace.writer", "TraceWriter.sites"),
    "writing stacks": ("tensordbg.trace.writer", "TraceWriter.stack"),
    "writing anything": ("tensordbg.trace.writer", "TraceWriter._append"),
}


class Fault(Exception):  # noqa: N818
    """Something of ours that broke."""


def broken(*arguments: object, **named: object) -> None:
    raise Fault("for the test")


def program() -> object:
    """Has an eager operation, a variable, a function with a loop, a gradient and an input pipeline."""
    tf.random.set_seed(1)
    weight = tf.Variable([1.0, 2.0], name="weight")

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            y = x
            for _ in tf.range(2):
                y = tf.sin(y * weight)
            loss = tf.reduce_sum(y)
        weight.assign_sub(tape.gradient(loss, weight))
        return loss

    data = tf.data.Dataset.from_tensor_slices([[1.0, 2.0], [3.0, 4.0]]).map(lambda x: tf.math.log(x))
    losses = [step(x) for x in data]
    with tf.GradientTape() as tape:
        last = tf.reduce_sum(tf.sqrt(weight * weight) + tf.random.normal([2]))
    return losses, last, tape.gradient(last, weight), weight.read_value()


def break_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    module, attribute = FAULTS[name]
    owner: Any = importlib.import_module(module)
    *path, last = attribute.split(".")
    for part in path:
        owner = getattr(owner, part)
    assert hasattr(owner, last), attribute
    kept = owner.__dict__.get(last)
    monkeypatch.setattr(owner, last, staticmethod(broken) if isinstance(kept, staticmethod) else broken)


@pytest.mark.parametrize("name", list(FAULTS))
def test_a_fault_ends_the_recording_with_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    expected = bits(program())
    results: list[object] = []
    with tensordbg.record(tmp_path):
        capsys.readouterr()
        break_it(monkeypatch, name)
        results.append(program())
    monkeypatch.undo()
    assert bits(results[0]) == expected
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("tdbg:")]
    assert len(said) == 1, said
    assert said[0].startswith("tdbg: warning: recording stopped: ")
    assert said[0].endswith("failed with Fault: for the test; the program goes on")
    # Nothing of it is left in the process: the program runs as before, and can be recorded again.
    assert bits(program()) == expected


def test_a_function_that_the_runtime_refuses_runs_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tensordbg.backends.tensorflow.hooks import hooks

    def refuse(runtime: Any, definition: Any) -> None:
        if any(node.op.startswith("Tensordbg") for node in definition.node_def):
            raise Fault("refused")
        plain(runtime, definition)

    expected = bits(program())
    results: list[object] = []
    with tensordbg.record(tmp_path):
        capsys.readouterr()
        functions = hooks().functions
        plain = functions._plain_add  # what hands a definition to the runtime
        monkeypatch.setattr(functions, "_plain_add", refuse)
        results.append(program())
    monkeypatch.undo()
    assert bits(results[0]) == expected
    assert capsys.readouterr().err.count("tdbg: warning: recording stopped: instrumenting a function failed") == 1


BREAKING = """
import sys
import tensordbg.backends.tensorflow.eager.recording as eager
count = 0
plain = eager.Eager._operation
def sometimes(*arguments):
    global count
    count += 1
    if count == 3:
        raise OSError("for the test")
    return plain(*arguments)
eager.Eager._operation = sometimes
"""

PROGRAM = """
import sys, tensorflow as tf
total = tf.constant(1.0)
for _ in range(5):
    total = tf.function(lambda x: x * 2.0)(total + 1.0)
print(float(total))
{ending}
"""


@pytest.mark.parametrize(("ending", "code"), [("sys.exit(3)", 3), ("", 0), ("raise ValueError('own')", 1)])
def test_the_exit_code_is_the_programs_own(tmp_path: Path, ending: str, code: int) -> None:
    (tmp_path / "plain.py").write_text(PROGRAM.format(ending=ending))
    (tmp_path / "broken.py").write_text(BREAKING + PROGRAM.format(ending=ending))
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    plain = programs.run([sys.executable, str(tmp_path / "plain.py")], capture_output=True, text=True, env=quiet)
    command = [sys.executable, "-m", "tensordbg", "run", "--out", str(tmp_path / "traces"), str(tmp_path / "broken.py")]
    done = programs.run(command, capture_output=True, text=True, env=quiet)
    assert (plain.returncode, done.returncode, done.stdout) == (code, code, plain.stdout)
    assert done.stderr.count("tdbg: warning: recording stopped") == 1, done.stderr


def test_a_program_without_standard_error_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bits(program())
    results: list[object] = []
    with tensordbg.record(tmp_path):
        monkeypatch.setattr(sys, "stderr", None)
        break_it(monkeypatch, "an eager operation")
        results.append(program())
        monkeypatch.undo()
    assert bits(results[0]) == expected
