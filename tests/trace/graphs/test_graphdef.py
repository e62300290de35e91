"""GraphDef messages: what TensorFlow writes is read, what is written TensorFlow reads."""

from __future__ import annotations

import tensorflow as tf

from tensordbg.trace.graphs.graphdef import (
    GraphDefMessage,
    GraphDefNode,
    decode_graph,
    text_attribute,
)


def traced() -> tf.compat.v1.GraphDef:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x)

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        with tf.device("/CPU:0"):
            return inner(tf.split(x, 2)[1])

    return outer.get_concrete_function(tf.TensorSpec([4])).graph.as_graph_def()


def test_reads_what_tensorflow_writes_and_writes_it_again() -> None:
    graph = traced()
    decoded = decode_graph(graph.SerializeToString())
    assert [(node.name, node.op_type, node.inputs, node.device) for node in decoded.nodes] == [
        (node.name, node.op, tuple(node.input), node.device) for node in graph.node
    ]
    assert list(decoded.functions) == [function.signature.name for function in graph.library.function]
    assert tf.compat.v1.GraphDef.FromString(decoded.encode()) == graph


def test_attributes() -> None:
    node = GraphDefNode(
        "a",
        "Placeholder",
        attributes={"_note": text_attribute("mine")},
    )
    (read,) = tf.compat.v1.GraphDef.FromString(GraphDefMessage((node,)).encode()).node
    assert read.attr["_note"].s == b"mine"


def test_lists_of_texts() -> None:
    node = tf.compat.v1.NodeDef(name="a", op="_FusedMatMul")
    node.attr["fused_ops"].list.s.extend([b"BiasAdd", b"Relu"])
    node.attr["T"].type = 1
    (read,) = decode_graph(tf.compat.v1.GraphDef(node=[node]).SerializeToString()).nodes
    assert read.texts("fused_ops") == ("BiasAdd", "Relu")
    assert read.texts("T") == read.texts("absent") == ()


def test_integers() -> None:
    node = tf.compat.v1.NodeDef(name="a", op="_Arg")
    node.attr["index"].i = 7
    node.attr["axis"].i = -1
    (read,) = decode_graph(tf.compat.v1.GraphDef(node=[node]).SerializeToString()).nodes
    assert (read.integer("index"), read.integer("axis"), read.integer("absent")) == (7, -1, 0)


def test_attributes_that_are_damaged_say_nothing() -> None:
    node = GraphDefNode("x", "Log", attributes={"a": b"\x0a\x7f", "b": b"\0"})
    assert (node.texts("a"), node.texts("b"), node.integer("a"), node.integer("b")) == ((), (), 0, 0)
