"""NaN constants that a graph only ever chooses from: they harm nothing where they are not chosen.

TensorFlow writes such constants itself, as what a label out of range gets (`sparse_softmax_cross_entropy_with_logits`
with deterministic operations), or for a gradient that must not be taken (`recompute_grad`). So it is the choice that is
checked, not what may be chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd

SELECTS = frozenset({"Select", "SelectV2"})

MOVING = {
    "BroadcastTo": 0, "Cast": 0, "ExpandDims": 0, "Fill": 1, "Identity": 0, "Reshape": 0, "Squeeze": 0, "Tile": 0,
}  # fmt: skip
"""Operations that a constant passes through on its way, with the position of what they pass on."""

_ASKING = frozenset({"OnesLike", "Rank", "Shape", "ShapeN", "Size", "ZerosLike"})
"""Operations that ask for a shape alone, as those of a choice's gradient."""

_LARGEST = 64
"""A constant with more elements is data, not a mark."""


@dataclass(frozen=True)
class GraphNode:
    """An operation as far as it matters here."""

    op_type: str
    inputs: Sequence[str]
    """The names of the operations that its data comes from."""
    is_nan: bool
    """Whether it is a constant of nothing but NaN."""


def latent_nodes(nodes: Mapping[str, GraphNode], kept: AbstractSet[str]) -> frozenset[str]:
    """The constants, and what only passes them on; `kept` names operations whose outputs leave the graph."""
    takers: dict[str, list[tuple[str, int]]] = {}
    found: set[str] = set()
    starts = [name for name, node in nodes.items() if node.is_nan]
    if not starts:
        return frozenset()
    for name, node in nodes.items():
        for position, source in enumerate(node.inputs):
            takers.setdefault(source, []).append((name, position))
    for start in starts:
        found |= _only_chosen(start, nodes, takers, kept)
    return frozenset(found)


def _only_chosen(
    start: str, nodes: Mapping[str, GraphNode], takers: Mapping[str, list[tuple[str, int]]], kept: AbstractSet[str]
) -> set[str]:
    """A constant and what passes it on; empty where anything else takes it, or nothing does."""
    way, waiting = {start}, [start]
    while waiting:
        name = waiting.pop()
        if name in kept or name not in takers:
            return set()
        for taker, position in takers[name]:
            op_type = nodes[taker].op_type
            if op_type in _ASKING or (op_type in SELECTS and position > 0):
                continue
            if MOVING.get(op_type) != position:
                return set()
            if taker not in way:
                way.add(taker)
                waiting.append(taker)
    return way


def latent_in_definition(definition: Any) -> frozenset[str]:
    """Those of a FunctionDef, by the names of their nodes."""
    if not any(is_nan_constant(node) for node in definition.node_def):
        return frozenset()
    nodes = {
        node.name: GraphNode(node.op, [fd.node_of(name) for name in fd.data_inputs(node)], is_nan_constant(node))
        for node in definition.node_def
    }
    return latent_nodes(nodes, {fd.node_of(name) for name in definition.ret.values()})


def latent_in_graph(operations: Iterable[Any], kept: AbstractSet[str]) -> frozenset[str]:
    """Those among the operations of a Graph, by their names."""
    nodes = {
        operation.name: GraphNode(
            operation.type,
            [tensor.op.name for tensor in operation.inputs],
            operation.type == "Const" and is_nan_constant(operation.node_def),
        )
        for operation in operations
    }
    return latent_nodes(nodes, kept)


def is_nan_constant(node: Any) -> bool:
    """Whether a NodeDef is of a small constant that holds nothing but NaN."""
    import tensorflow as tf  # imported by the program already

    if node.op != "Const" or node.attr["dtype"].type not in dtypes.FLOATS:
        return False
    value = node.attr["value"].tensor
    if not 0 < np.prod([dim.size for dim in value.tensor_shape.dim]) <= _LARGEST:
        return False
    return bool(np.isnan(tf.make_ndarray(value).astype(np.complex128)).all())
