"""A definition as a GraphDef: what is imported computes what the function computes."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.functions.built_graph import LEFT_OUT, built_graph


def definition_of(function: object, *arguments: tf.TensorSpec) -> object:
    return function.get_concrete_function(*arguments).function_def


def test_imported_it_computes_the_same() -> None:
    @tf.function
    def pieces(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        first, second = tf.split(x, 2)
        with tf.control_dependencies([tf.debugging.assert_equal(tf.shape(y), [2])]):
            return first * second + y

    definition = definition_of(pieces, tf.TensorSpec([4], name="x"), tf.TensorSpec([None], name="y"))
    graph = tf.compat.v1.GraphDef.FromString(built_graph(definition))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.graph_util.import_graph_def(graph, name="")
        x, y = tf.compat.v1.get_default_graph().get_operations()[:2]
        assert (x.type, x.outputs[0].shape.as_list()) == ("Placeholder", [4])
        assert y.outputs[0].shape.as_list() == [None]
        result = session.run("Identity:0", {x.outputs[0]: [1.0, 2.0, 3.0, 4.0], y.outputs[0]: [0.5, 0.5]})
    np.testing.assert_array_equal(result, [3.5, 8.5])
    (function,) = graph.library.function
    assert function == definition


def test_large_constants_are_left_out() -> None:
    large, small = np.arange(5000, dtype=np.float32), np.arange(3, dtype=np.float32)

    @tf.function
    def constants() -> tuple[tf.Tensor, tf.Tensor]:
        return tf.constant(large) + 1.0, tf.constant(small) + 1.0

    message = built_graph(definition_of(constants))
    assert len(message) < 3000
    graph = tf.compat.v1.GraphDef.FromString(message)
    left_out = [node for node in graph.node if LEFT_OUT in node.attr]
    assert [tf.TensorShape(node.attr["value"].tensor.tensor_shape).as_list() for node in left_out] == [[5000]]
    with tf.Graph().as_default():
        tf.graph_util.import_graph_def(graph, name="")
