from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.core.framework import function_pb2

from tensordbg.backends.tensorflow.trap.rows import library_of
from tensordbg.capture.reader import list_captures, open_capture
from tests.backends.tensorflow.trapped import trapping


def test_the_library_has_the_function_first_and_all_that_it_calls() -> None:
    @tf.function
    def step(x: Any) -> Any:
        for _ in tf.range(3):
            x = tf.cond(x > 0.0, lambda: x * 2.0, lambda: -x)  # noqa: B023
        return x

    concrete = step.get_concrete_function(tf.constant(1.0))
    library = function_pb2.FunctionDefLibrary.FromString(library_of(concrete.name.decode(), lambda _: None))
    names = [each.signature.name for each in library.function]
    assert names[0] == concrete.name.decode()
    called = [value.func.name for each in library.function for node in each.node_def for value in node.attr.values()]
    assert {name for name in called if name} == set(names[1:])
    assert len(names) == 5


def test_a_capture_names_where_each_operation_was_made(tmp_path: Path) -> None:
    kernel = tf.Variable([1.0])

    @tf.function
    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.math.log(x * kernel))
        kernel.assign_sub(tape.gradient(loss, kernel))

    with trapping(tmp_path), pytest.raises(tf.errors.InvalidArgumentError):
        step(tf.constant([0.0]))
    capture = open_capture(list_captures(tmp_path)[0])
    stacks = {row["stack"]: row["frames"] for row in capture.rows("stacks")}
    (log,) = [row for row in capture.rows("sites") if row["op_type"] == "Log"]
    file, line, function, user = stacks[log["stack"]][-1]
    own = [frame for frame in stacks[log["stack"]] if frame[0] == __file__]
    assert own[-1][2] == "step"
    source = next(row["text"] for row in capture.rows("sources") if row["file"] == __file__)
    assert "tf.math.log(x * kernel)" in source.splitlines()[own[-1][1] - 1]
    assert json.dumps([file, line, function, user])
