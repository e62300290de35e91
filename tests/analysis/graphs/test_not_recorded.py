"""Of an operation that is in a graph and was not recorded, `show` tells why."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.tensors.show import history_of
from tensordbg.errors import UsageError
from tensordbg.trace.reader import open_trace


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    @tf.function
    def run(x: Any) -> Any:
        tf.exp(x, name="unused")
        box = tf.raw_ops.EmptyTensorList(
            element_shape=tf.constant([], tf.int32), max_num_elements=3, element_dtype=tf.float32, name="box"
        )
        tf.debugging.assert_equal(tf.raw_ops.TensorListLength(input_handle=box) > 0, False)
        y = tf.cond(x > 0.0, lambda: tf.negative(x, name="negated"), lambda: tf.square(x, name="squared"))
        while x > 5.0:
            x = tf.divide(x, 2.0, name="halved")
        if y > 5.0:
            y = y - 1.0
            if y > 6.0:
                for _ in tf.range(3):
                    y = tf.atan(y, name="deep")
        left_out = tf.acos(y, name="arc") * 2.0
        fixed = tf.constant(3, name="fixed")
        return tf.identity(tf.sin(y, name="sine"), name="same"), fixed

    @tf.function
    def traced_alone(x: Any) -> Any:
        return tf.cosh(x, name="hyperbolic")

    with tensordbg.record(tmp_path_factory.mktemp("run")) as recording:
        run(tf.constant(2.0))
        traced_alone.get_concrete_function(tf.TensorSpec([], tf.float32))
        run.get_concrete_function(tf.TensorSpec([], tf.float64))  # which has an operation of each name, too
    reader = open_trace(recording.path)

    def answer(name: str) -> str:
        with pytest.raises(UsageError) as caught:
            history_of(reader, name)
        return str(caught.value)

    return answer


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("unused", "it is in the graph and did not run: nothing that is returned, fetched or changed needs it"),
        ("box", "it makes what has no statistics, of type variant"),
        ("cond/squared", r"it is in a branch of run, .*test_not_recorded.py:\d+, that never ran"),
        ("while/halved", r"it is in a loop of run, .*test_not_recorded.py:\d+, that never ran"),
        ("cond_1/cond/while/deep", r"it is in a branch of run, .*test_not_recorded.py:\d+, that never ran"),
        ("fixed", "it is a constant, 3"),
        ("same", "it only hands on sine:0, see that"),
        ("hyperbolic", "traced_alone was traced, and no operation of it ran"),
    ],
)
def test_why(said: Callable[[str], str], name: str, why: str) -> None:
    assert re.fullmatch(f"nothing was recorded of '{name}:0': {why}", said(name))


def test_a_name_of_the_text_whose_operation_did_not_run(said: Callable[[str], str]) -> None:
    assert said("left_out").startswith(
        "nothing was recorded of 'left_out' (mul:0): it is in the graph and did not run: "
    )


def test_another_name_is_none(said: Callable[[str], str]) -> None:
    assert "no tensor 'cond/negate:0'" in said("cond/negate")
