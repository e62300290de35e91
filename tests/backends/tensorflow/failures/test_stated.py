from __future__ import annotations

import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.failures.stated import stated_tensors
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.model import NONE


def test_a_graph_is_told_from_its_tensors_backwards() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 6], name="x")
        flat = tf.reshape(x, [-1, 8], name="flat")
        told = stated_tensors([flat * 2.0, x], hooks().stacks)
    assert [(each.tensor, each.shape) for each in told[:3]] == [
        ("mul:0", (-1, 8)), ("x:0", (-1, 6)), ("flat:0", (-1, 8)),
    ]  # fmt: skip
    assert told[0].inputs == (2, 3)
    assert told[2].inputs[0] == 1  # the tensor that was asked for itself
    assert '"value": 2.0' in told[3].attributes
    assert all(each.stack != NONE for each in told)


def test_what_a_function_captured_leads_outside() -> None:
    outside = tf.ones([100, 50])
    told = []

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        product = tf.matmul(outside, x)
        told.extend(stated_tensors([product], hooks().stacks))
        return product

    step(tf.ones([50, 2]))
    captured = told[told[0].inputs[0]]
    (outer,) = (told[place] for place in captured.inputs)
    assert (captured.op_type, outer.op_type, outer.shape) == ("Placeholder", "", (100, 50))


def test_what_is_no_tensor_of_a_graph() -> None:
    variable = tf.Variable(tf.ones([2, 3]), name="kernel")
    told = stated_tensors([np.ones([4]), 3.0, variable, "text", tf.keras.Input((5,))], hooks().stacks)
    assert [(each.dtype, each.shape, each.inputs) for each in told] == [
        ("float64", (4,), ()), ("", (), ()), ("float32", (2, 3), ()), ("", None, ()), ("float32", (-1, 5), ()),
    ]  # fmt: skip
    assert told[2].tensor.startswith("kernel")
