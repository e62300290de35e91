from __future__ import annotations

import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.failures.dataset_parts import parts_of_dataset
from tensordbg.model import StatedTensor

X = np.ones([6, 3], np.float32)
Y = np.arange(6)


def test_what_a_dataset_began_with_goes_through_what_hands_it_on() -> None:
    data = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(6).repeat(2).batch(4).prefetch(1)
    parts, outside = parts_of_dataset(data)
    assert [each.numpy().tolist() for each in parts] == [X.tolist(), Y.tolist()]
    assert outside == {}


def test_a_map_gives_what_its_function_made_of_what_stood_before() -> None:
    data = tf.data.Dataset.zip(tf.data.Dataset.from_tensor_slices(X), tf.data.Dataset.from_tensor_slices(Y))
    parts, outside = parts_of_dataset(data.map(lambda x, y: (tf.concat([x, x], 0), y)).batch(2))
    assert [tuple(each.shape) for each in parts] == [(6,), ()]
    assert [each.numpy().tolist() for each in outside.values()] == [X.tolist(), Y.tolist()]


def test_of_what_a_filter_keeps_nothing_is_told() -> None:
    data = tf.data.Dataset.from_tensor_slices((X, Y)).filter(lambda _, y: y > 2)
    assert all(isinstance(each, StatedTensor) for each in parts_of_dataset(data)[0])


def test_nothing_is_told_of_what_puts_elements_together_otherwise() -> None:
    whole = tf.data.Dataset.from_tensor_slices(Y)
    for data in (whole.concatenate(whole), whole.flat_map(tf.data.Dataset.range), tf.data.Dataset.range(3)):
        parts, outside = parts_of_dataset(data)
        assert [(type(each), each.op_type) for each in parts] == [(StatedTensor, "")]
        assert outside == {}
