"""Any call of a function is captured and replayed, also where it computes no gradients."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tensordbg.capture.reader import list_captures, open_capture
from tests import programs
from tests.cli.conftest import COMMAND

PROGRAM = """
import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
scale = tf.Variable([1.0, 2.0], name="scale")
calls = tf.Variable(0, name="calls")


@tf.function
def infer(x):
    y = tf.math.log(x)
    return {"y": y * scale, "largest": tf.reduce_max(y)}


@tf.function
def inner(x):
    return tf.sqrt(x) + scale[0]


@tf.function
def nested(batch, factor, flag=None, *, z, a):
    calls.assign_add(1)
    x = batch["ids"] + tf.cast(batch["pair"][1], tf.float32)
    if flag:
        x = x * 2
    return inner(x) * factor + z - 2 * a, calls.read_value()


names = tf.Variable(["a", "b"], name="names")


@tf.function
def joined(text, rows, factor):
    return tf.strings.join([text, names[0]]), tf.strings.length(rows), factor * 2.0


@tf.function
def summed(dataset):
    return dataset.reduce(0.0, lambda total, each: total + each)


table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), -1.0)


@tf.function
def looked_up(words):
    return table.lookup(words) * 2.0


seen = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
places = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, tf.constant([0.0, 0.0]))
places.insert(tf.constant([0, 1], tf.int64), tf.constant([[1.0, 2.0], [3.0, 4.0]]))


@tf.function
def counted(words):
    before = seen.lookup(words)
    seen.insert(words, before + 1)
    return before, places.lookup(before), table.lookup(words)


queue = tf.queue.FIFOQueue(4, [tf.float32], [[]])
queue.enqueue(3.0)


@tf.function
def waiting(x):
    return queue.dequeue() * x


@tf.function
def from_pipeline(iterator):
    return next(iterator) * scale


@tf.function
def ragged(rows, text):
    scale.assign(scale * 1.5)
    return rows * 2.0, tf.strings.length(text)


@tf.function
def chosen(ids, names):
    calls.assign_add(100)
    rows = tf.gather(tf.constant([[1.0], [2.0], [3.0]]), ids)
    calls.assign_add(100)
    return rows * scale, tf.strings.length(names)


for last in (1.0, 2.0, 0.0):
    print(infer(tf.constant([1.0, last])))
batch = {"pair": (tf.constant([1, 2]), tf.constant([3, 4])), "ids": np.ones(2, np.float32)}
print(nested(batch, 2.0, z=tf.constant(1.0), a=tf.constant(5.0)))
print(nested(batch, tf.constant(2.0), True, a=tf.constant(5.0), z=tf.constant(1.0)))
print(joined(tf.constant(["h\u00e9", "", "a\\0b"]), tf.ragged.constant([["x"], [], ["yy", "zzz"]]), 3.0))
print(summed(tf.data.Dataset.from_tensor_slices([3.0, 4.0])))
print(looked_up(tf.constant(["a", "c"])))
for words in (["a", "b"], ["b", "c"]):
    print(counted(tf.constant(words)))
print(waiting(tf.constant(2.0)))
pipeline = iter(tf.data.Dataset.from_tensor_slices([3.0, 4.0]))
print(from_pipeline(pipeline), from_pipeline(pipeline))
print(ragged(tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.constant("ab")))
with tf.GradientTape() as tape:
    total = inner(tf.constant([4.0, 9.0]))
print(tape.gradient(total, scale))
model = keras.Sequential([keras.layers.Dense(3), keras.layers.BatchNormalization()])
print(model.predict(np.ones((4, 2), np.float32), verbose=0).tolist())
for ids in ([0, 1, 2, 0], [2, 7, 1, 0], [2, 2, 2, 2]):
    try:
        print(chosen(tf.constant(ids), tf.constant(["a", "b", "c", "d"])))
    except tf.errors.InvalidArgumentError:
        print("raised")
"""


def run(folder: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    return programs.run(
        words, cwd=folder, input=typed, env=quiet, capture_output=True, check=False, text=True, timeout=300
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls")
    (folder / "infer.py").write_text(PROGRAM)
    (folder / "captures").mkdir()
    return folder


@pytest.fixture(scope="module")
def plain(folder: Path) -> str:
    return run(folder, sys.executable, "infer.py").stdout


@cache
def captured(folder: Path, call: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Captures a call, once for all tests."""
    before = set(list_captures(folder / "captures"))
    done = run(folder, *COMMAND, "trap", "--call", call, "infer.py")
    (made,) = set(list_captures(folder / "captures")) - before
    return made, done


@pytest.mark.parametrize(
    ("call", "arguments", "variables"),
    [
        ("infer:1", 1, ["scale"]),
        ("chosen:2", 2, ["calls", "scale"]),  # of which the call before raised
        ("nested:1", 6, ["calls", "scale"]),  # of which the second call has a trace of its own
        ("inner:2", 1, ["scale"]),  # called by another function before, now under a tape
        ("joined", 3, ["names"]),
        ("ragged", 3, ["scale"]),
        ("from_pipeline:1", 1, ["scale"]),
        ("looked_up", 2, []),  # besides the words what it gives for others
        ("counted:1", 4, []),  # which writes into a table that it has read before
        ("one_step_on_data*", 1, None),
    ],
)
def test_a_call_comes_out_the_same(
    folder: Path, plain: str, call: str, arguments: int, variables: list[str] | None
) -> None:
    made, done = captured(folder, call)
    assert (done.returncode, done.stdout) == (0, plain), done.stderr
    assert "the step came out the same, bit for bit" in done.stderr
    assert "tensors were finite" in done.stderr
    header = open_capture(made).header
    assert (header.trouble.kind, header.step) == ("asked", int(call.partition(":")[2] or 0))
    assert len([each for each in header.arguments if each.tensor.key]) == arguments
    assert variables is None or sorted(each.tensor.name for each in header.variables) == variables


def test_a_call_that_raises_is_captured_as_it_began(folder: Path, plain: str) -> None:
    made, done = captured(folder, "chosen:1")
    assert (done.returncode, done.stdout) == (0, plain)
    assert "step 1 of chosen: it was asked for, and did not return; captured in" in done.stderr
    assert "the step raised again" in done.stderr
    assert "raised InvalidArgumentError in GatherV2, infer.py" in done.stderr
    capture = open_capture(made)
    (calls,) = [each.argument for each in capture.header.variables if each.tensor.name == "calls"]
    assert (capture.header.trouble.kind, capture.batch()[0].tolist()) == ("raised", [2, 7, 1, 0])
    assert int(capture.variables()[calls]) == 202  # nothing was written yet
    said = run(folder, *COMMAND, "replay", str(made), "--bisect").stderr
    assert "row 1 of 4 goes wrong alone, and none of the others does" in said


def test_the_first_bad_operation_of_a_call_is_named(folder: Path, plain: str) -> None:
    _, done = captured(folder, "infer:2")
    assert (done.returncode, done.stdout) == (0, plain)
    assert "step 2 of infer: 1 of its results are not finite" in done.stderr
    assert "the step went wrong again, the same bit for bit" in done.stderr
    assert "Log:0 in infer() produced the first -inf" in done.stderr


def test_what_is_not_captured_is_refused(folder: Path) -> None:
    _, done = captured(folder, "summed")
    assert "the step takes dataset, a dataset or a list, which is not captured; capture a function that" in done.stderr
    _, done = captured(folder, "waiting")
    refused = next(line for line in done.stderr.splitlines() if "which is not captured" in line)
    words = (
        "the step takes a queue, a lookup table that can't be read or another resource that is no variable, in "
        "`return queue.dequeue() * x` "
    )
    assert words in refused
    assert f"infer.py:{line_of('return queue.dequeue')}), which is not captured; capture a function that is" in refused


def test_strings_are_there_in_the_debugger_and_can_not_be_set(folder: Path) -> None:
    made, _ = captured(folder, "ragged")
    done = run(folder, *COMMAND, "replay", str(made), "--set", "text=1")
    assert "tdbg: error: text holds strings, but --set gives numbers; choose another input" in done.stderr
    words = ("replay", str(made), "--pdb", "--break", f"infer.py:{line_of('return rows * 2.0')}", "infer.py")
    done = run(folder, *COMMAND, *words, typed="p rows.to_list(), text.numpy()\nc\n")
    assert "(Pdb) ([[1.0], [2.0, 3.0]], b'ab')" in done.stdout, done.stderr


def test_keyword_arguments_are_given_back_by_name(folder: Path) -> None:
    made, _ = captured(folder, "nested")
    words = ("replay", str(made), "--pdb", "--break", f"infer.py:{line_of('calls.assign_add')}", "infer.py")
    done = run(folder, *COMMAND, *words, typed="p float(z), float(a), batch['ids'].numpy().tolist()\nc\n")
    assert "(Pdb) (1.0, 5.0, [1.0, 1.0])" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("absent", "0 of absent was not captured: no function of that name was called; those that were traced are "),
        ("infr", "0 of infr was not captured: no function of that name was called; those that were traced are infer, "),
        ("infer:7", "7 of infer was not captured: it was called 3 times"),
    ],
)
def test_a_call_that_never_came_is_said(folder: Path, plain: str, call: str, said: str) -> None:
    done = run(folder, *COMMAND, "trap", "--call", call, "infer.py")
    assert (done.returncode, done.stdout) == (0, plain)
    assert f"tdbg: call {said}" in done.stderr


def test_a_call_whose_tracing_raises_is_said(tmp_path: Path) -> None:
    (tmp_path / "wide.py").write_text(
        """
import tensorflow as tf


@tf.function
def project(x):
    return tf.matmul(x, tf.ones([3, 2]))


project(tf.ones([4, 3]))
project(tf.ones([4, 5]))
"""
    )
    done = run(tmp_path, *COMMAND, "trap", "--call", "project:1", "wide.py")
    assert (done.returncode, list_captures(tmp_path / "captures")) == (1, [])
    words = "call 1 of project was not captured: it was called 1 time, and its tracing raised ValueError: Dimensions"
    assert words in " ".join(done.stderr.split())


def test_the_console_captures_a_call_that_is_asked_for(folder: Path) -> None:
    done = run(folder, *COMMAND, "debug", "-c", "run; capture infer; run; continue", "infer.py")
    assert done.returncode == 0, done.stderr
    assert "step 0 of infer: it was asked for; captured in" in done.stdout + done.stderr
    made = list_captures(folder / "captures")[-1]
    assert open_capture(made).batch()[0].tolist() == [1.0, 2.0]


def line_of(part: str) -> int:
    return 1 + next(number for number, line in enumerate(PROGRAM.splitlines()) if part in line)
