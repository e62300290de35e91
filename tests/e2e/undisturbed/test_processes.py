"""Worker processes neither write into nor break the trace of the program that starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.backends.tensorflow.recorded import Recorded, read

START = """
import os, sys
import tensorflow as tf

@tf.function
def double(x):
    return x * 2.0

def work(number):
    import numpy as np
    return float(np.sqrt(number))

def work_in_tensorflow(number):
    import tensorflow as tf
    return float(tf.function(tf.sqrt)(tf.constant(float(number))))
"""

FORK = (
    START
    + """
print(float(double(tf.constant(1.0))), flush=True)
child = os.fork()
if child == 0:
    print("child", os.getpid() != os.getppid(), flush=True)
    tf.Variable(3.0)  # eager operations that need no thread of the runtime run in the child too
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
print(float(double(tf.constant(2.0))), flush=True)
"""
)

# A child of TensorFlow's started runtime that runs exit handlers hangs in TensorFlow itself.
FORK_THAT_EXITS = (
    START
    + """
child = os.fork()
if child == 0:
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
print(float(double(tf.constant(1.0))), flush=True)
print(float(double(tf.constant(2.0))), flush=True)
"""
)

MULTIPROCESSING = (
    START
    + """
import multiprocessing
if __name__ == "__main__":
    print(float(double(tf.constant(1.0))))
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        print(pool.map({work}, [4, 9, 16]))
    print(float(double(tf.constant(2.0))))
"""
)

SUBPROCESS = (
    START
    + """
import subprocess
print(float(double(tf.constant(1.0))), flush=True)
code = "import tensorflow as tf; print(float(tf.function(tf.sqrt)(tf.constant(25.0))))"
print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout, flush=True)
print(float(double(tf.constant(2.0))), flush=True)
"""
)

PROGRAMS = {
    "fork": FORK,
    "fork that exits": FORK_THAT_EXITS,
    "forked workers": MULTIPROCESSING.format(method="fork", work="work"),
    "spawned workers": MULTIPROCESSING.format(method="spawn", work="work_in_tensorflow"),
    "forkserver workers": MULTIPROCESSING.format(method="forkserver", work="work_in_tensorflow"),
    "subprocess": SUBPROCESS,
}


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    code: int
    out: str
    err: str


def run(folder: Path, *command: str) -> Ended:
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, env=quiet, cwd=folder, timeout=60
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def recorded_like_plain(folder: Path, text: str) -> Recorded:
    """Runs a program plainly and recorded: output and exit code are the same, and there is one whole trace."""
    (folder / "program.py").write_text(text)
    plain = run(folder, "program.py")
    recorded = run(folder, "-m", "tensordbg", "run", "--out", "traces", "program.py")
    assert plain.code == 0, plain.err
    assert (recorded.code, recorded.out) == (plain.code, plain.out), recorded.err
    assert "recording stopped" not in recorded.err
    (trace,) = (folder / "traces").iterdir()
    return read(trace)


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_the_trace_is_the_parents_own(tmp_path: Path, name: str) -> None:
    recorded = recorded_like_plain(tmp_path, PROGRAMS[name])
    # Both calls of the parent's function, before and after, and nothing that a worker computed.
    assert [event.row["max"] for event in recorded.of("mul")] == [2.0, 4.0]
    assert recorded.of("Sqrt") == []
    assert recorded.reader.facts.end is not None
    assert recorded.reader.facts.end.exit_code == 0
