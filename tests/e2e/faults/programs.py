"""Programs that something happens to, run plainly and recorded, each in a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import programs
from tests.backends.tensorflow.recorded import Recorded, read

TRAINING = """
import os, signal, sys
import tensorflow as tf

weight = tf.Variable([0.5, 2.0], name="weight")

def middle(x):
    MIDDLE
    return x

@tf.function
def step(x):
    y = tf.math.log(x)
    y = tf.ensure_shape(tf.py_function(middle, [y], tf.float32), [2])
    weight.assign_add(y)
    return tf.reduce_sum(y * weight)

for number in range(6):
    print(number, float(step(tf.constant([4.0 - number, 1.0]))), flush=True)
    AFTER
END
"""
"""Each step computes Log, EagerPyFunc, mul and Sum; the logarithm of step 4 is that of zero."""


def training(middle: str = "pass", after: str = "pass", end: str = "") -> str:
    """The program, with something done in the middle of each step, after each and at the end; `number` is the step."""
    return TRAINING.replace("MIDDLE", middle).replace("AFTER", after).replace("END", end)


@dataclass(frozen=True)
class Ended:
    """How a program ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class BothWays:
    """A program run plainly and recorded."""

    plain: Ended
    recorded: Ended
    trace: Path

    def read(self) -> Recorded:
        """What was recorded; both must have ended in the same way."""
        same = (self.recorded.code, self.recorded.out) == (self.plain.code, self.plain.out)
        assert same, (self.plain, self.recorded)
        return read(self.trace)


def run(folder: Path, *words: str, before: Callable[[], None] | None = None, **environment: str) -> Ended:
    """Runs Python in a folder, `before` called in the new process first."""
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment}
    done = programs.run(
        [sys.executable, *words],
        cwd=folder,
        env=quiet,
        capture_output=True,
        check=False,
        text=True,
        timeout=240,
        preexec_fn=before,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def tdbg(folder: Path, *words: str, before: Callable[[], None] | None = None, **environment: str) -> Ended:
    """Runs `tdbg WORDS...` in a folder."""
    return run(folder, "-m", "tensordbg", *words, before=before, **environment)


def both_ways(folder: Path, text: str, options: Sequence[str] = (), **environment: str) -> BothWays:
    """Runs a program plainly and recorded, each in a folder of its own."""
    for name in ("plain", "recorded"):
        (folder / name).mkdir()
        (folder / name / "program.py").write_text(text)
    plain = run(folder / "plain", "program.py", **environment)
    recorded = tdbg(folder / "recorded", "run", *options, "program.py", **environment)
    (trace,) = (folder / "recorded" / "tdbg-traces").iterdir()
    return BothWays(plain, recorded, trace)
