"""A captured step run by its own program: eagerly, in a debugger, from an editor, from a changed source."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensordbg.capture.reader import list_captures
from tests import programs
from tests.cli.conftest import COMMAND

LOSSES = """
import tensorflow as tf


def entropy(probabilities):
    picked = probabilities[:, 0]
    return -tf.reduce_mean(tf.math.log(picked))
"""
LINE = 7
PROGRAM = """
import numpy as np
import tensorflow as tf

from losses import entropy


class Trainer:
    def __init__(self):
        self.kernel = tf.Variable(tf.zeros((4, 3)), name="kernel")
        self.count = tf.Variable(0, name="count", trainable=False)

    @tf.function
    def step(self, batch, scale):
        with tf.GradientTape() as tape:
            loss = entropy(tf.nn.softmax(scale * batch["x"] @ self.kernel))
        self.kernel.assign_sub(tape.gradient(loss, self.kernel))
        self.count.assign_add(1)
        return loss


trainer = Trainer()
x = np.random.RandomState(0).normal(size=(6, 8, 4)).astype(np.float32)
x[4, 5] *= -1e4
for batch in x:
    trainer.step({"x": batch}, 2.0)
print("trained")
"""


def environment() -> dict[str, str]:
    return {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def tdbg(folder: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return programs.run(
        [*COMMAND, *words], cwd=folder, env=environment(), input=typed, capture_output=True, check=False, text=True
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program lies, with the capture of its fifth step."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "losses.py").write_text(LOSSES)
    (folder / "train.py").write_text(PROGRAM)
    done = tdbg(folder, "trap", "--no-replay", "train.py")
    assert done.returncode == 3, done.stderr
    return folder


@pytest.fixture(scope="module")
def capture(folder: Path) -> str:
    (path,) = list_captures(folder / "captures")
    return str(path)


def test_pdb_stops_at_the_line_of_the_origin_with_what_was_captured(folder: Path, capture: str) -> None:
    done = tdbg(folder, "replay", capture, "--eager", "--pdb", "train.py", typed="p picked.numpy().min()\nc\n")
    assert done.returncode == 0, done.stderr
    assert f"tdbg: stopping at {folder / 'losses.py'}:{LINE}" in done.stderr
    assert f"losses.py({LINE})entropy()\n-> return -tf.reduce_mean(tf.math.log(picked))" in done.stdout
    assert re.search(r"^\(Pdb\) (np\.float32\()?0\.0\)?$", done.stdout, re.MULTILINE), done.stdout
    assert "trained" not in done.stdout


def test_the_eager_step_is_recorded_with_what_was_captured(folder: Path, capture: str) -> None:
    done = tdbg(folder, "replay", capture, "--eager", "train.py")
    assert done.returncode == 0, done.stderr
    assert "Log:0 in entropy() produced the first -inf: 1 of 8 elements" in done.stderr
    # Where the lines are broken depends on how long the name of the folder is.
    assert "first at [5]" in " ".join(done.stderr.split())


def test_a_changed_module_is_tried_out(folder: Path, capture: str) -> None:
    (folder / "fixed.py").write_text(LOSSES.replace("log(picked)", "log(tf.maximum(picked, 1e-7))"))
    done = tdbg(folder, "replay", capture, "--patch", "losses.py=fixed.py", "train.py")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "as captured with fixed.py" in lines
    assert "step wrong clean" in lines
    assert "tensors were finite" in done.stderr


def test_mistakes_are_one_line(folder: Path, capture: str) -> None:
    (folder / "other.py").write_text("import tensorflow as tf\n")
    said = {
        ("--patch", "absent.py", "train.py"): "absent.py: no such file; give the changed source",
        ("--patch", "other.py", "train.py"): "no source of the step is called other.py (losses.py, train.py are)",
        ("--eager",): "no program is named; give the step's own behind the capture, which says that it was `train.py",
        ("--break", "losses.py", "train.py"): "'losses.py' is no place to stop; write FILE:LINE",
        ("--break", "losses.py:1", "other.py"): "the program ended without calling step(), which was captured",
        ("train.py",): "'train.py': a program is run with --eager, --pdb, --dap or --patch only",
    }
    for words, expected in said.items():
        done = tdbg(folder, "replay", capture, *words)
        assert done.returncode == 2
        assert expected in done.stderr


class Editor:
    """As much of an editor as it takes to attach to a debugger: https://microsoft.github.io/debug-adapter-protocol."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self._stream = self._socket.makefile("rwb")
        self._count = 0

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def send(self, command: str, **arguments: Any) -> None:
        self._count += 1
        message = {"seq": self._count, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        self._stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._stream.flush()

    def wait_for(self, **wanted: str) -> dict[str, Any]:
        while True:
            length = 0
            while header := self._stream.readline().strip():
                length = int(header.rpartition(b":")[2])
            message: dict[str, Any] = json.loads(self._stream.read(length))
            if all(message.get(key) == value for key, value in wanted.items()):
                return message


@contextlib.contextmanager
def started(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*COMMAND, *words], cwd=folder, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()  # a debugger's own process may hold its other end


def test_an_editor_attaches_and_stops_at_its_own_breakpoint(folder: Path, capture: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = f"{folder / 'losses.py'}:{LINE}"
    with started(folder, "replay", capture, "--dap", str(port), "--break", place, "train.py") as process:
        assert process.stderr is not None
        assert any(f"attach your editor to 127.0.0.1:{port}" in line and place in line for line in process.stderr)
        editor = Editor(port)
        editor.send("initialize", adapterID="test")
        editor.wait_for(type="response", command="initialize")
        editor.send("attach", justMyCode=False)
        editor.wait_for(type="event", event="initialized")
        lines = [{"line": LINE}]
        editor.send("setBreakpoints", source={"path": str(folder / "losses.py")}, breakpoints=lines)
        editor.send("configurationDone")
        stopped = editor.wait_for(type="event", event="stopped")["body"]
        while stopped["reason"] != "breakpoint" or editor_frame(editor, stopped["threadId"]) != "entropy":
            editor.send("continue", threadId=stopped["threadId"])
            stopped = editor.wait_for(type="event", event="stopped")["body"]
        editor.send("disconnect", terminateDebuggee=True)
        editor.close()


def editor_frame(editor: Editor, thread: int) -> str:
    editor.send("stackTrace", threadId=thread)
    frame: str = editor.wait_for(type="response", command="stackTrace")["body"]["stackFrames"][0]["name"]
    return frame
