"""A variable keeps one number and its name, however it is reached."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.variables import Variables, writes
from tensordbg.model import NONE, Variable
from tensordbg.recording.catalog import Catalog


def test_number_and_description() -> None:
    catalog = Catalog()
    variables = Variables(catalog)
    weight = tf.Variable(tf.zeros([3, 2]), name="weight")
    variables.learn_name(weight.handle, weight.name)
    assert variables.number_of(weight.handle) == variables.number_of(weight.handle) == 0
    assert variables.number_of(tf.Variable(1.0).handle) == 1
    assert catalog.variable(0) == Variable(0, "weight", "float32", "[3, 2]")


def test_whether_it_is_trained_is_learnt_again() -> None:
    catalog = Catalog()
    variables = Variables(catalog)
    kernel, frozen = keras.Variable(np.ones(2), name="kernel"), tf.Variable(1.0, trainable=False, name="frozen")
    variables.learn([kernel.value, frozen])
    assert [catalog.variable(k).trainable for k in (0, 1)] == [True, False]
    assert [catalog.variable(k).name for k in (0, 1)] == ["kernel", "frozen"]
    kernel.trainable = False
    variables.learn_once(kernel.value)
    assert catalog.variable(0).trainable is True
    variables.learn([kernel.value])
    assert catalog.variable(0).trainable is False


def test_a_captured_handle_is_the_same_variable() -> None:
    variables = Variables(Catalog())
    weight = tf.Variable([1.0], name="weight")
    number = variables.number_of(weight.handle)

    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return x * weight

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x[0] > 0, lambda: inner(x), lambda: x + weight)

    graph = outer.get_concrete_function(tf.TensorSpec([1], tf.float32)).graph
    handles = [tensor for tensor in graph.inputs if tensor.dtype == tf.resource]
    assert [variables.number_of(handle) for handle in handles] == [number]


def test_what_is_no_variable_has_no_number() -> None:
    variables = Variables(Catalog())
    iterator = iter(tf.data.Dataset.range(3))
    assert variables.number_of(iterator._iterator_resource) == NONE
    graph = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    assert variables.number_of(graph.inputs[0]) == NONE


def test_which_operations_write() -> None:
    assert writes("AssignSubVariableOp")
    assert writes("ResourceApplyAdam")
    assert writes("ResourceScatterAdd")
    assert not writes("ReadVariableOp")
    assert not writes("ResourceGather")


def test_a_handle_without_a_name_has_all_variables_learnt() -> None:
    catalog = Catalog()
    variables = Variables(catalog)
    weight = tf.Variable([1.0], name="made_earlier", trainable=False)
    variables.learn_alive(weight.handle)
    known = catalog.variable(variables.number_of(weight.handle))
    assert (known.name, known.trainable) == ("made_earlier", False)
    iterator = iter(tf.data.Dataset.range(3))
    variables.learn_alive(iterator._iterator_resource)
    assert variables.number_of(iterator._iterator_resource) == NONE
