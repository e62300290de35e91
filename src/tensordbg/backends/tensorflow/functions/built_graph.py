"""Turns a function's definition into the graph that Python built, as a GraphDef that any tool can import.

In a FunctionDef a tensor is named `node:output:0`, by the output's name in the operation's definition; in a GraphDef
it is `node:0`. The function itself goes into the GraphDef's library, for the graphs of those that call it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd

LARGEST_CONSTANT = 4096
"""Bytes of a constant's elements; of a larger one only dtype and shape are kept."""

LEFT_OUT = "_values_left_out"
"""The attribute of a constant whose elements are not kept; an importer sees zeros."""

_ELEMENTS = (
    "tensor_content", "half_val", "float_val", "double_val", "int_val", "string_val", "scomplex_val", "int64_val",
    "bool_val", "dcomplex_val", "uint32_val", "uint64_val", "float8_val",
)  # fmt: skip


def built_graph(definition: Any) -> bytes:
    """The GraphDef of a FunctionDef, serialized; arguments become placeholders."""
    import tensorflow as tf  # imported by the program already

    graph = tf.compat.v1.GraphDef()
    graph.versions.producer = tf.version.GRAPH_DEF_VERSION
    names = {}
    for position, argument in enumerate(definition.signature.input_arg):
        names[argument.name] = argument.name
        _add_argument(graph, argument, definition.arg_attr.get(position))
    for node in definition.node_def:
        for output in fd.outputs(node):
            names[output.tensor] = f"{node.name}:{output.slot}" if output.slot else node.name
    for node in definition.node_def:
        copy = graph.node.add()
        copy.CopyFrom(node)
        copy.ClearField("input")
        copy.input.extend(names.get(name, name) for name in node.input)
    function = graph.library.function.add()
    function.CopyFrom(definition)
    leave_out_large_constants([*graph.node, *function.node_def])
    message: bytes = graph.SerializeToString()
    return message


def leave_out_large_constants(nodes: Iterable[Any]) -> None:
    """Takes the elements out of constants that are large, and says so in an attribute."""
    for node in nodes:
        if node.op != "Const" or node.ByteSize() <= LARGEST_CONSTANT:
            continue
        tensor = node.attr["value"].tensor
        for name in _ELEMENTS:
            if name in tensor.DESCRIPTOR.fields_by_name:
                tensor.ClearField(name)
        node.attr[LEFT_OUT].b = True


def _add_argument(graph: Any, argument: Any, attributes: Any) -> None:
    node = graph.node.add(name=argument.name, op="Placeholder")
    node.attr["dtype"].type = argument.type
    shape = node.attr["shape"].shape
    if attributes is not None and len(attributes.attr["_output_shapes"].list.shape) == 1:
        shape.CopyFrom(attributes.attr["_output_shapes"].list.shape[0])
    else:
        shape.unknown_rank = True
