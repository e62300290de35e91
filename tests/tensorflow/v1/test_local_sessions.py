"""A program of TensorFlow 1 changes one import and stops at the runs of its session, as it did once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.tensorflow.v1.local_sessions import LocalCLIDebugWrapperSession
from tests import programs

v1 = tf.compat.v1

QUIET = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}

PROGRAM = """
import sys
import numpy as np
import tensorflow.compat.v1 as tf
from tensordbg.tensorflow import v1 as tf_debug

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None], name="x")
y = tf.log(tf.square(x, name="Square"), name="Log")
wrong = tf.reshape(y, [7], name="wrong_shape")

def large(datum, tensor):
    return datum.node_name == "Square" and tensor.max() > 50

plain = tf.Session()
with plain:
    session = tf_debug.LocalCLIDebugWrapperSession(plain, **eval(sys.argv[1]))
    session.add_tensor_filter("has_inf_or_nan", tf_debug.has_inf_or_nan)
    session.add_tensor_filter("large", large)
    plain.run(y, {x: [1.0]})  # nobody looks at this
    for value in (2.0, 8.0, 0.0, 3.0):
        print("gave", session.run(y, feed_dict={x: [value]}))
    print("called", session.make_callable(y, [x])([4.0]))
    with session.as_default():
        print("evaluated", y.eval({x: [5.0]}))
    session.run([])
    try:
        session.run(wrong, {x: [1.0]})
    except tf.errors.InvalidArgumentError:
        print("raised")
    print("made", session.run_call_count)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def run(program: Path, arguments: dict[str, object], *lines: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, program, repr(arguments)]
    given = "".join(f"{line}\n" for line in lines)
    return programs.run(command, input=given, capture_output=True, text=True, check=False, env=QUIET)


def test_a_session_is_debugged_with_the_old_commands(program: Path) -> None:
    lines = ("run", "run -f large", "lt", "run -f has_inf_or_nan", "pt Log:0", "pf x", "run -n", "run", "run", "run")
    done = run(program, {}, *lines, "ni wrong_shape", "run")
    assert done.returncode == 0, done.stderr
    stops = [line.partition(" (")[0] for line in done.stdout.splitlines() if line.startswith(("run-", "!!!"))]
    assert [stop.partition(": Session")[0] for stop in stops if stop.startswith("run-")][:4] == [
        "run-start: run #1",
        "run-end: run #1",
        "run-end: run #2",
        "run-end: run #3",
    ]
    assert "Square:0" in done.stdout
    assert "-inf" in done.stdout
    assert "gave [1.386294" in done.stdout
    assert "called [2.7725" in done.stdout
    assert "evaluated [3.2188" in done.stdout
    assert "raised" in done.stdout
    assert "wrong_shape" in done.stdout
    assert done.stdout.rstrip().endswith("made 8")


def test_exit_ends_the_program_and_a_temporary_trace(program: Path, tmp_path: Path) -> None:
    root = tmp_path / "dumps"
    done = run(program, {"dump_root": str(root)}, "run", "exit")
    assert done.returncode == 1
    assert "gave" not in done.stdout
    assert (root / "trace.json").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"ui_type": "mouse"}, "ui_type is 'mouse', but must be one of readline, curses; choose one"),
        ({"dump_root": __file__}, f"dump_root path points to a file: {__file__}"),
    ],
)
def test_what_the_old_one_refused_is_refused(arguments: dict[str, str], said: str) -> None:
    with v1.Session(graph=tf.Graph()) as session, pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        LocalCLIDebugWrapperSession(session, **arguments)
    with pytest.raises(TypeError, match=r"^Expected type "):
        LocalCLIDebugWrapperSession(object())


def test_a_process_that_is_recorded_is_not_debugged_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tensordbg.record(tmp_path) as recording, tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        wrapped = LocalCLIDebugWrapperSession(session)
        assert wrapped.run(tf.square(x, name="Square"), {x: 3.0}) == 9.0
    (said,) = [line for line in capsys.readouterr().err.splitlines() if "LocalCLIDebugWrapperSession" in line]
    assert said == (
        "tdbg: LocalCLIDebugWrapperSession opens no console, as this process is being recorded already: its runs are "
        f"in {recording.path}; run the program with `tdbg debug` instead"
    )
    assert [row.health.max for row in tensordbg.open(recording.path).tensors(name="Square").rows] == [9.0]


def test_a_program_with_both_wrappers_under_run_ends_as_it_does_alone(program: Path, tmp_path: Path) -> None:
    program.write_text(
        PROGRAM.replace(
            "plain = tf.Session()",
            f"""\
plain = tf_debug.DumpingDebugWrapperSession(tf.Session(), {str(tmp_path / "dumps")!r})
plain.run(y, {{x: [6.0]}})
plain.close()
plain = tf.Session()""",
        )
    )
    command = [sys.executable, "-m", "tensordbg", "run", "--out", str(tmp_path / "traces"), "--", str(program), "{}"]
    done = programs.run(command, capture_output=True, text=True, check=False, env=QUIET, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout.count("gave")) == (0, 4), done.stderr
    (trace,) = (tmp_path / "traces").iterdir()
    assert f"the runs are in {trace}, without elements" in done.stderr
    assert f"its runs are in {trace}; run the program with `tdbg debug`" in done.stderr
    assert not (tmp_path / "dumps").exists()
    assert 36.0 in [row.health.max for row in tensordbg.open(trace).tensors(name="Square").rows]


BESIDE = """
import sys
import tensorflow.compat.v1 as tf
from tensordbg.tensorflow import v1 as tf_debug

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None], name="x")
y = tf.square(x, name="Square")
dumping = tf_debug.DumpingDebugWrapperSession(tf.Session(), sys.argv[1])
debugged = tf_debug.LocalCLIDebugWrapperSession(tf.Session(), dump_root=sys.argv[2])
for session, value in ((dumping, 2.0), (debugged, 3.0), (dumping, 4.0), (debugged, 5.0)):
    print("gave", session.run(y, {x: [value]}))
dumping.close()
"""


def test_beside_a_session_that_dumps(tmp_path: Path) -> None:
    program, dumps, debugged = tmp_path / "program.py", tmp_path / "dumps", tmp_path / "debugged"
    program.write_text(BESIDE)
    command = [sys.executable, program, str(dumps), str(debugged)]
    done = programs.run(command, input="run\nrun\nrun\nrun\n", capture_output=True, text=True, check=False, env=QUIET)
    assert done.returncode == 0, done.stderr
    assert "gave [25.]" in done.stdout
    recorded = [row for trace in sorted(dumps.iterdir()) for row in tensordbg.open(trace).tensors().rows]
    assert [row.tensor for row in recorded].count("Square:0") == 2
    for folder in (debugged, debugged.with_name("debugged-2")):
        assert "Square:0" in [row.tensor for row in tensordbg.open(folder).tensors().rows]
