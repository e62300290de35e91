"""What TensorFlow's messages say of operations that it refuses to build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.failures.unbuilt import Unbuilt, unbuilt
from tensordbg.model import StatedInput

Build = Callable[[tf.Tensor], Any]


def message_of(build: Build, shape: tf.TensorShape) -> str:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="input shapes") as raised:
        build(tf.compat.v1.placeholder(tf.float16, shape, name="x"))
    return str(raised.value)


@pytest.mark.parametrize(
    ("build", "shape", "expected"),
    [
        (
            lambda x: tf.matmul(x, tf.ones([4, 3], tf.float16)),
            [None, 3],
            ("MatMul", [("x", "float16", (-1, 3)), ("ones", "float16", (4, 3))]),
        ),
        (
            lambda x: tf.raw_ops.Reshape(tensor=x, shape=[[1]], name="r"),
            None,
            ("Reshape", [("x", "float16", None), ("r/shape", "int32", (1, 1))]),
        ),
        (
            lambda x: tf.raw_ops.AddN(inputs=[x, tf.ones([3], tf.float16)]),
            [2],
            ("AddN", [("x", "float16", (2,)), ("ones", "float16", (3,))]),
        ),
        (
            lambda x: tf.raw_ops.ParseExample(
                serialized=["a"], names=[["a", "b"]], sparse_keys=[], dense_keys=["k"],
                dense_defaults=[tf.constant([0], tf.int64)], sparse_types=[], dense_shapes=[[1]],
            ),
            [2],
            (
                "ParseExample",
                [
                    ("ParseExample/serialized", "string", (1,)),
                    ("ParseExample/names", "string", (1, 2)),
                    ("ParseExample/dense_keys_0", "string", ()),
                    ("Const", "int64", (1,)),
                ],
            ),
        ),
    ],
    ids=["types", "unknown rank", "numbers", "lists of types"],
)  # fmt: skip
def test_a_refused_operation(build: Build, shape: Any, expected: tuple[str, list[tuple[str, str, Any]]]) -> None:
    found = unbuilt(message_of(build, tf.TensorShape(shape)))
    assert (found.op_type, [(each.tensor, each.dtype, each.shape) for each in found.inputs]) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("of anything", Unbuilt()),
        ("for '{{node a/b}} = Add", Unbuilt("a/b", "Add")),
        ("'{{node a}} = Add[T=DT_FLOAT](x, y)' with input shapes: [2].", Unbuilt("a", "Add")),
        (
            "'{{node a}} = NotThere[T=DT_FLOAT](x, ^c)' with input shapes: [2].",
            Unbuilt("a", "NotThere", (StatedInput("x", "", (2,)),)),
        ),
    ],
)
def test_a_message_of_another_kind(message: str, expected: Unbuilt) -> None:
    assert unbuilt(message) == expected
