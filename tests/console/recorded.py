"""A small training that goes wrong in its second step, recorded whole, and consoles on it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tensordbg.console.console import Console, StateFiles
from tensordbg.console.language.filters import Filters
from tensordbg.console.pages.page import texts
from tensordbg.console.running import Breakpoint, Runner, Stop, StopKind
from tensordbg.errors import UsageError
from tests import programs
from tests.e2e.page.recorded import shared

PROGRAM = """\
import numpy as np
import tensorflow as tf

random = np.random.RandomState(0)
x = tf.constant(random.rand(32, 8).astype("float32") * 20)
y = tf.one_hot(np.arange(32) % 4, 4)
kernel = tf.Variable(random.randn(8, 4).astype("float32") / 10, name="dense/kernel")


def loss_of(probs, y):
    return -tf.reduce_sum(y * tf.math.log(probs))


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ kernel)
        probs = tf.nn.softmax(hidden)
        loss = loss_of(probs, y)
    kernel.assign_sub(0.5 * tape.gradient(loss, kernel))
    return loss


for step in range(4):
    print(step, train_step(x, y).numpy())
"""
LOG_LINE = 11
"""Where it takes the logarithm."""


def record(folder: Path) -> None:
    """Records the training into the trace `trace` in the folder."""
    program = folder.parent / "console-program" / "train.py"
    program.parent.mkdir(exist_ok=True)
    program.write_text(PROGRAM)
    words = ["run", "--detail", "values", "--graphs", "--trace", str(folder / "trace"), program.name]
    command = [sys.executable, "-m", "tensordbg", *words]
    programs.run(command, cwd=program.parent, check=True, capture_output=True, stdin=subprocess.DEVNULL)


def recorded_training(factory: pytest.TempPathFactory) -> Path:
    """The trace of the training; recorded once for all tests."""
    return shared(factory, "console-training", record) / "trace"


def program_of(trace: Path) -> Path:
    """The file of the training."""
    return trace.parent.parent / "console-program" / "train.py"


def console_on(trace: Path, runner: Runner | None = None, filters: Filters | None = None) -> Console:
    """A console that keeps nothing beyond the test."""
    return Console(trace, runner, filters, StateFiles(None, None))


def answer(console: Console, line: str) -> list[str]:
    """The title and all lines of what a line is answered with."""
    page = console.answer(line).page
    assert page is not None
    return [page.title, *texts(page)]


def text(console: Console, line: str) -> str:
    """The same as one text."""
    return "\n".join(answer(console, line))


class StillProgram:
    """A program that stands behind its second run."""

    def __init__(self, executions: dict[int, int], stop: Stop | None = None) -> None:
        self.executions = executions
        last = max(executions, default=1)
        self.stop = stop or Stop(StopKind.AFTER, last, "train_step(x, y)", executions.get(last))
        self.breakpoints: dict[int, Breakpoint] = {}

    def add_breakpoint(self, breakpoint: Breakpoint) -> int:  # noqa: A002
        number = len(self.breakpoints) + 1
        self.breakpoints[number] = breakpoint
        return number

    def remove_breakpoint(self, number: int) -> None:
        del self.breakpoints[number]

    def capture(self, function: str = "") -> str:
        raise UsageError("a step that was made can't be captured")


def still(trace: Path, runs: int = 2, stop: Stop | None = None) -> Console:
    """A console on a program that has made so many runs of those in the trace."""
    console = console_on(trace)
    numbers = console.opened.executions.number[console.runs.rows][:runs].tolist()
    return console_on(trace, StillProgram(dict(enumerate(numbers, 1)), stop))
