"""Tensors of strings are recorded wherever a program has them: lengths always, elements where values are kept."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.trace.raw.strings import MOST_TEXT
from tests import programs

TDBG = Path(sys.executable).with_name("tdbg")
GIVEN = [["Hello, World!", ""], ["a" * 50, "Grüße\0x"]]


def record(folder: Path, program: Callable[[], object], **settings: object) -> tensordbg.api.Trace:
    """What a program records."""
    with tensordbg.record(folder, **settings) as recording:  # type: ignore[arg-type]
        program()
    return tensordbg.open(recording.path)


@tf.function
def clean(texts: tf.Tensor) -> tf.Tensor:
    lower = tf.strings.lower(texts)
    return tf.strings.regex_replace(lower, "[^a-z ]", "")


def test_elements_are_those_computed_to_the_byte(tmp_path: Path) -> None:
    computed = []

    def program() -> None:
        computed.append(clean(tf.constant(GIVEN)).numpy())
        computed.append(tf.strings.upper(tf.constant(GIVEN)).numpy())
        computed.append(tf.strings.upper("raw text").numpy())

    trace = record(tmp_path, program, detail="values")
    assert trace.tensor("texts").values()[0].tolist() == [[text.encode() for text in row] for row in GIVEN]
    assert trace.tensor("StaticRegexReplace").values()[0].tolist() == computed[0].tolist()
    upper = trace.tensor("StringUpper").values()
    assert upper[0].tolist() == computed[1].tolist()
    assert upper[1].item() == computed[2]


def test_lengths_without_elements(tmp_path: Path) -> None:
    trace = record(tmp_path, lambda: clean(tf.constant(GIVEN)))
    (point,) = trace.tensor("texts").points
    assert point.health is not None
    assert (point.dtype, point.shape, point.text) == ("string", (2, 2), "")
    assert (point.health.size, point.health.zero, point.health.min, point.health.max) == (4, 1, 0, 50)
    lengths = trace.sql("select min, max, sum, zero from tensors where dtype = 'string' order by event").to_pylist()
    assert {"min": 0.0, "max": 50.0, "sum": 72.0, "zero": 1} in lengths


def test_all_forms_of_a_string_in_memory(tmp_path: Path) -> None:
    """Short ones lie in the element itself, longer ones elsewhere; the border is at 22 bytes."""
    given = ["x" * length for length in (0, 1, 21, 22, 23, 24, 63, 64, 100, 10_000)]
    trace = record(tmp_path, lambda: clean(tf.constant(given)), detail="values")
    assert trace.tensor("StringLower").values()[0].tolist() == [text.encode() for text in given]


def test_a_very_long_text_is_known_by_its_length(tmp_path: Path) -> None:
    given = tf.constant(["short", "z" * (MOST_TEXT + 1), "behind"])
    trace = record(tmp_path, lambda: clean(given), detail="values")
    assert trace.tensor("StringLower").values()[0].tolist() == [b"short", None, None]
    assert trace.tensor("StringLower").points[0].health.max == MOST_TEXT + 1


def test_in_a_loop_a_branch_and_a_pipeline(tmp_path: Path) -> None:
    @tf.function
    def build(n: tf.Tensor) -> tf.Tensor:
        s = tf.constant("")
        for i in tf.range(n):
            s = tf.strings.join([s, tf.strings.as_string(i)], "-")
        if tf.strings.length(s) > 3:
            s += "!"
        return s

    def program() -> None:
        build(tf.constant(3))
        lines = tf.data.Dataset.from_tensor_slices(["x,1", "yy,2"])
        list(lines.map(lambda line: tf.strings.split(line, ",")[0]).batch(2))

    trace = record(tmp_path, program, detail="values")
    assert trace.tensor("s").values().tolist() == [b"", b"-0", b"-0-1", b"-0-1-2"]
    assert set(trace.tensor("line").values().tolist()) == {b"x,1", b"yy,2"}


def test_only_the_last_with_room_used_again(tmp_path: Path) -> None:
    def program() -> None:
        for step in range(200):
            clean(tf.constant([f"text {step}", "y" * 1000]))

    trace = record(tmp_path, program, detail="values", last=10, values=tensordbg.ValueFilter(budget=2**20))
    assert trace.tensor("StringLower").values()[-1].tolist() == [b"text 199", b"y" * 1000]
    assert trace.tensor("texts").values()[-1].tolist() == [b"text 199", b"y" * 1000]


SESSION = """
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
x = tf.placeholder(tf.string, [None], name="x")
low = tf.strings.lower(x, name="low")
held = tf.get_variable("held", initializer=tf.constant(["q", "rr"]), use_resource=False)
change = tf.assign(held, ["s", "ttt"], name="change")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run([low, held], {x: ["A", "LONG" * 10]}))
    print(session.run(change), session.run(held))
"""


def test_a_session(tmp_path: Path) -> None:
    script = tmp_path / "session.py"
    script.write_text(SESSION)
    plain = programs.run([sys.executable, script], capture_output=True, text=True, check=True)
    command = [TDBG, "run", "--detail", "values", "--trace", tmp_path / "t", script]
    recorded = programs.run(command, capture_output=True, text=True, check=True)
    assert recorded.stdout == plain.stdout
    trace = tensordbg.open(tmp_path / "t")
    assert trace.tensor("low").values()[0].tolist() == [b"a", b"long" * 10]
    assert [each.tolist() for each in trace.tensor("held").values()][-1] == [b"s", b"ttt"]


def test_what_is_shown(tmp_path: Path, run_tdbg: Callable[..., str]) -> None:
    trace = record(tmp_path, lambda: clean(tf.constant(GIVEN)), detail="values")
    shown = run_tdbg("show", str(trace.path), "texts")
    assert "shortest" in shown and "longest" in shown and "empty" in shown
    assert "[b'Hello, World!' b'' " in shown
    elements = run_tdbg("show", str(trace.path), "texts", "--values", "--slice", "[1]")
    assert "b'Gr\\xc3\\xbc\\xc3\\x9fe\\x00x'" in elements
    assert "b'Hello, World!'" in run_tdbg("ls", str(trace.path))
    refused = run_tdbg("show", str(trace.path), "texts", "--values", "--range", "[0, 1]", code=2)
    assert refused == "tdbg: error: the range '[0, 1]' is for numbers, and these elements are strings; leave it out\n"
    file = tmp_path / "texts.npy"
    run_tdbg("show", str(trace.path), "StaticRegexReplace", "--values", "--write", str(file))
    assert np.load(file).tolist() == clean(tf.constant(GIVEN)).numpy().tolist()


@pytest.fixture
def run_tdbg() -> Callable[..., str]:
    """Runs a command in a wide terminal; gives what it printed, of one that fails what it says."""

    def run(*arguments: str, code: int = 0) -> str:
        done = programs.run(
            [TDBG, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COLUMNS": "200"},
        )
        assert done.returncode == code, done.stderr
        return done.stderr if code else done.stdout

    return run
