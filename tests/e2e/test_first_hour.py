"""Mistakes of a program's first hour, as a user runs it: what `tdbg run` says at the end tells what to change."""

from __future__ import annotations

import os
from pathlib import Path

from tests import programs
from tests.cli.conftest import COMMAND


def told_of(folder: Path, program: str) -> str:
    """What is said of the error behind the program's own traceback, in one line."""
    (folder / "train.py").write_text(program)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "COLUMNS": "120"}
    command = [*COMMAND, "run", "train.py"]
    done = programs.run(command, cwd=folder, env=environment, capture_output=True, check=False, text=True)
    assert done.returncode == 1, done.stderr
    return " ".join(done.stderr[done.stderr.rindex("\nraised ") :].split())


LABELS = """
import numpy as np
import tensorflow as tf
from tensordbg.tensorflow import trace_data

x = np.random.RandomState(0).normal(size=(12, 3)).astype(np.float32)
y = np.array([0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 0, 1])
data = trace_data(tf.data.Dataset.from_tensor_slices((x, y))).shuffle(12, seed=1).batch(4)
w = tf.Variable(tf.ones([3, 3]))


@tf.function
def step(x, y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, x @ w))


for x, y in data:
    step(x, y)
"""

MAPPED = """
import tensorflow as tf
from tensordbg.tensorflow import trace_data

table = tf.range(20)


def parse(number):
    place = number * 3
    return tf.gather(table, place)


for batch in trace_data(tf.data.Dataset.range(12)).map(parse).batch(4):
    pass
"""


def test_the_element_that_a_step_was_given(tmp_path: Path) -> None:
    assert "data row 1 of IteratorGetNext:1 came from element 6 " in told_of(tmp_path, LABELS)


def test_the_element_that_a_pipelines_function_was_called_for(tmp_path: Path) -> None:
    assert "data this call was for element 7 " in told_of(tmp_path, MAPPED)


def test_without_origins_no_element_is_told(tmp_path: Path) -> None:
    plain = MAPPED.replace("from tensordbg.tensorflow import trace_data\n", "").replace("trace_data(", "(")
    assert "value mul:0 made 21 of 7 and 3" in (told := told_of(tmp_path, plain))
    assert " data " not in told
