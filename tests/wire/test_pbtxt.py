from __future__ import annotations

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

from tensordbg.wire.pbtxt import graph_text


def test_tensorflow_reads_the_same_graph() -> None:
    constants = [np.array(values, dtype) for values, dtype in (([1.5, -2.0], "f4"), ([-3, 4], "i8"), ([True], "?"))]

    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x)

    @tf.function
    def outer(x: tf.Tensor) -> list[tf.Tensor]:
        for _ in tf.range(2):
            x = inner(x)
        with tf.device("/CPU:0"):
            named = tf.strings.join(['grö"ße\\\n', tf.as_string(x)])
        return [named, tf.reshape(x, [1, -1]), *map(tf.constant, constants), tf.constant(np.inf, tf.float64)]

    graph = outer.get_concrete_function(tf.TensorSpec([2])).graph.as_graph_def(add_shapes=True)
    text = graph_text(graph.SerializeToString())
    assert text_format.Parse(text, tf.compat.v1.GraphDef()) == graph
    assert 'op: "StatelessWhile"' in text
