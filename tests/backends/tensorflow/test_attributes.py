"""The small attributes of an operation are kept as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.attributes import attributes_json, eager_attributes, with_notes


def attributes_of(function: Any, op_type: str) -> dict[str, object]:
    concrete = tf.function(function).get_concrete_function(tf.TensorSpec([4, 4], tf.float32))
    node = next(node for node in concrete.function_def.node_def if node.op == op_type)
    return json.loads(attributes_json(node))


def test_types_and_switches() -> None:
    assert attributes_of(lambda x: tf.cast(x, tf.float16), "Cast") == {
        "SrcT": "float32",
        "DstT": "float16",
        "Truncate": False,
    }
    assert attributes_of(lambda x: tf.matmul(x, x, transpose_b=True), "MatMul")["transpose_b"] is True


def test_lists_of_numbers() -> None:
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.max_pool2d(x[None, :, :, None], 2, 1, "SAME")

    found = attributes_of(program, "MaxPool")
    assert (found["ksize"], found["padding"]) == ([1, 2, 2, 1], "SAME")


def test_small_constants_are_kept_and_large_ones_not() -> None:
    assert attributes_of(lambda x: x * 0.5, "Const")["value"] == 0.5
    row = attributes_of(lambda x: tf.add(x, [-np.inf, 1.0, np.nan, 0.0]), "Const")["value"]
    assert row == ["-inf", 1.0, "nan", 0.0]
    assert "value" not in attributes_of(lambda x: tf.constant(np.ones((5, 4, 4), np.float32)) + x, "Const")


def test_text_and_types_without_numbers_do_no_harm() -> None:
    def program(x: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_greater(x, 0.0, message="must be positive")
        return x + tf.cast(tf.strings.length(tf.constant("abc")), tf.float32)

    concrete = tf.function(program).get_concrete_function(tf.TensorSpec([4, 4], tf.float32))
    for node in concrete.function_def.node_def:
        assert isinstance(json.loads(attributes_json(node)), dict)


def test_notes_that_say_nothing_are_left_out() -> None:
    assert with_notes('{"axis": 1}', {"a": [], "b": False}) == '{"axis": 1}'
    assert json.loads(with_notes('{"axis": 1}', {"a": [2], "b": False})) == {"axis": 1, "a": [2]}


def test_an_eager_operation_has_those_of_its_node() -> None:
    """As the runtime takes them: in words, numbers, lists and types, of which some are left to it."""
    settings = (
        "strides",
        [1, 2, 2, 1],
        "padding",
        b"SAME",
        "data_format",
        "NHWC",
        "dilations",
        (1, 1, 1, 1),
        "T",
        None,
    )
    assert eager_attributes("Conv2D", settings) == {
        "strides": [1, 2, 2, 1],
        "padding": "SAME",
        "data_format": "NHWC",
        "dilations": [1, 1, 1, 1],
    }
    assert eager_attributes("Cast", ("DstT", tf.float16, "SrcT", 1, "Truncate", False)) == {
        "DstT": "float16",
        "SrcT": "float32",
        "Truncate": False,
    }
    assert eager_attributes("LeakyRelu", ("alpha", np.inf)) == {"alpha": "inf"}
    assert eager_attributes("Conv2D", ("strides", [1, tf.constant(2), 2, 1])) == {}
    assert eager_attributes("CreateSummaryFileWriter", None) == {}
    assert eager_attributes("LeakyRelu", ()) == eager_attributes("nothing known", ("a", 1)) == {}
