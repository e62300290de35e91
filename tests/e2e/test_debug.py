"""`tdbg debug` walks through real programs as the old debugger's tutorial did, by the real command and a script."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tensordbg.capture.reader import open_capture
from tensordbg.trace.reader import open_trace
from tests import programs

PROGRAMS = Path(__file__).parent / "digits"
TDBG = Path(sys.executable).with_name("tdbg")
QUIET = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}


def debug(folder: Path, script: str, *program: str | Path) -> subprocess.CompletedProcess[str]:
    command = [TDBG, "debug", "--out", folder / "traces", "-c", script, *program]
    return programs.run(command, capture_output=True, text=True, check=False, env=QUIET, cwd=folder)


def answers(said: str) -> dict[str, str]:
    """What was printed after each command, by the command; the first of equal ones."""
    parts = re.split(r"^tdbg> (.*)$", said, flags=re.MULTILINE)
    found: dict[str, str] = {}
    for command, answer in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(command, answer)
    return found


def trace_of(folder: Path) -> Path:
    (trace,) = (folder / "traces").iterdir()
    return trace


WALK = (
    "run; run; lt; pt {kernel}; run -f has_inf_or_nan; lt -f has_inf_or_nan; pt Log:0; /inf; li Log; "
    "pt {probs} -r [0,0]; why; exit"
)


@pytest.mark.parametrize(
    ("program", "kernel", "probs", "bad_run"),
    [
        ("keras_fit.py", "hidden_1/Cast/ReadVariableOp", "probs_1/Softmax", 4),
        ("session.py", "hidden/kernel", "Softmax", 3),
    ],
)
def test_the_classic_walk(tmp_path: Path, program: str, kernel: str, probs: str, bad_run: int) -> None:
    done = debug(tmp_path, WALK.format(kernel=kernel, probs=probs), PROGRAMS / program)
    assert done.returncode == 0, done.stderr
    said = answers(done.stdout)
    assert "tensors of run 2:" in said["lt"]
    assert "Relu" in said["lt"]
    assert "shape: (64, 128)" in said[f"pt {kernel}"]
    assert re.search(r"^(run-start: run #1|op-start): ", done.stdout)
    assert f"run-end: run #{bad_run}: " in said["run -f has_inf_or_nan"]
    assert f'tensors of run {bad_run} passing filter "has_inf_or_nan":' in said["lt -f has_inf_or_nan"]
    assert "Log:0" in said["lt -f has_inf_or_nan"]
    assert "shape: (100, 10)" in said["pt Log:0"]
    assert "-inf" in said["pt Log:0"]
    assert "-inf" in said["/inf"]
    assert "Softmax" in said["li Log"]
    assert re.search(r"Highlighted.*: [1-9]\d* of 1,?000 element", said[f"pt {probs} -r [0,0]"])
    assert "log_of_zero" in said["why"]
    # What was recorded can be opened again.
    trace = open_trace(trace_of(tmp_path))
    assert trace.finished and trace.facts.end is not None and trace.facts.end.exit_code == 0
    assert "tdbg console" in done.stderr.splitlines()[-1]


def test_the_program_computes_what_it_computes_without(tmp_path: Path) -> None:
    program = PROGRAMS / "keras_fit.py"
    plain = programs.run([sys.executable, program], capture_output=True, text=True, check=True, env=QUIET)
    done = debug(tmp_path, "run -t 3; step; run -n; capture; run; continue", program)
    assert done.returncode == 0, done.stderr
    (weights,) = re.findall(r"^weights .*$", plain.stdout, re.MULTILINE)
    assert weights in done.stdout.splitlines()
    stops = re.findall(r"^run-(start|end): run #(\d+):", done.stdout, re.MULTILINE)
    assert done.stdout.startswith("op-start: ")
    assert stops == [("end", "3"), ("start", "4"), ("start", "5"), ("end", "5")]
    assert done.stdout.rstrip().endswith("The program has ended.")
    # The step that was asked for, whole, and no other.
    (capture,) = (tmp_path / "captures").iterdir()
    assert open_capture(capture).header.step == 4


WRONG = """
import tensorflow as tf

@tf.function
def fine(x):
    return x + 1.0

@tf.function
def wrong(x, shape):
    return tf.reshape(tf.exp(x), shape, name="wrong_shape")

fine(tf.ones([3]))
try:
    wrong(tf.ones([3]), tf.constant([3, 2]))
except tf.errors.InvalidArgumentError:
    print("caught")
wrong(tf.ones([3]), tf.constant([2, 2]))
"""


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    return path


def test_the_console_opens_on_the_operation_that_raised_and_then_the_exception_follows(
    wrong: Path, tmp_path: Path
) -> None:
    done = debug(tmp_path, "continue; ri; ni wrong_shape; li wrong_shape", wrong)
    said = answers(done.stdout)
    assert done.returncode == 1
    assert "caught" in done.stdout
    assert "run-error: run #3: wrong(x, shape)" in said["continue"]
    assert "InvalidArgumentError: Input to reshape is a tensor with" in said["continue"]
    assert "Exp" in said["li wrong_shape"]
    assert "InvalidArgumentError: " in done.stderr and "node wrong_shape" in done.stderr
    # The traceback begins with the program's own line.
    traceback = done.stderr.partition("Traceback (most recent call last):\n")[2]
    assert traceback.splitlines()[0].startswith(f'  File "{wrong}", line 17')


UNBUILT = """
import tensorflow as tf

@tf.function
def step(x, w):
    hidden = tf.nn.relu(x)
    return tf.matmul(hidden, w)

print(step(tf.ones([2, 3]), tf.ones([3, 2])).shape)
step(tf.ones([2, 3]), tf.ones([4, 5]))
"""


def test_the_console_opens_on_an_operation_that_could_not_be_built(tmp_path: Path) -> None:
    program = tmp_path / "unbuilt.py"
    program.write_text(UNBUILT)
    done = debug(tmp_path, "continue; ni MatMul; li -r MatMul; why", program)
    said = answers(done.stdout)
    assert done.returncode == 1
    assert "error: MatMul, after 1 run\nValueError: in user code:" in said["continue"]
    assert (
        "  2 input(s):\n    [Relu] Relu:0   float32[2, 3]\n    [Placeholder] w:0   float32[4, 5]" in said["ni MatMul"]
    )
    assert "|- (1) [Relu] Relu:0   float32[2, 3]\n|  |- (2) [Placeholder] x:0   float32[2, 3]" in said["li -r MatMul"]
    assert "raised ValueError in MatMul, unbuilt.py:7: Dimensions must be equal" in said["why"]
    lines = subprocess.run(
        [TDBG, "debug", "--out", tmp_path / "piped", program], input="continue\n", capture_output=True, text=True,
        check=False, env=QUIET, cwd=tmp_path,
    ).stdout.partition("An error occurred")[2]  # fmt: skip
    assert re.search(r"^in  w:0 +float32\[4, 5\] ", lines, re.MULTILINE)
    assert "  li -r MatMul" in lines


def test_a_command_that_fails_ends_the_program_with_2(wrong: Path, tmp_path: Path) -> None:
    done = debug(tmp_path, "run; lt -f has_nan_or_inf; continue", wrong)
    assert done.returncode == 2
    assert "caught" not in done.stdout
    assert re.search(r"^tdbg: error: .*did you mean", done.stderr, re.MULTILINE)


ENDLESS = """
import sys
import tensorflow as tf

@tf.function
def step(x):
    return tf.sqrt(x) + 1.0

x = tf.constant(2.0)
for number in range(10**9):
    x = step(x)
    if number == 50:
        print("under way", flush=True)
"""


def test_ctrl_c_stops_at_the_next_run(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    command = [TDBG, "debug", "--out", tmp_path / "traces", "-c", "continue; lt; exit", tmp_path / "endless.py"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=QUIET, start_new_session=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line == "under way\n":
            break
    # As the terminal does it: to all processes of the group.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert re.search(r"^run-start: run #\d{2,}: step\(x\)", out, re.MULTILINE)
    assert "Sqrt" in answers(out)["lt"]
    assert "the program stops at its next run" in err


def test_lines_from_a_pipe_are_commands(tmp_path: Path) -> None:
    command = [TDBG, "debug", "--plain", "--out", tmp_path / "traces", PROGRAMS / "session.py", "--steps", "2"]
    given = "run\nri\nrun -f non_finite\nexit\n"
    done = programs.run(command, input=given, capture_output=True, text=True, check=False, env=QUIET)
    assert done.returncode == 1
    assert "run-start: run #1: Session.run(init)" in done.stdout
    assert "run-end: run #3: Session.run(loss, train)" in done.stdout
