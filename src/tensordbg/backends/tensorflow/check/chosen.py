"""Operations whose results a graph only ever chooses from: what is bad of them harms nothing unless it is chosen.

So it is with the logarithm in `tf.where(p > 0, p * tf.math.log(p), 0.0)`: all that is made of it ends at the choice. It
is checked behind the choice, and found there only if what the choice puts out is bad. What a backward pass takes, what
a function returns, and what a node with effects is given, counts as taken elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check.latent import SELECTS
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.waiting import BRANCHING
from tensordbg.backends.tensorflow.internals import op_def_registry

CHOOSING = {**dict.fromkeys(SELECTS, (1, 2)), "MulNoNan": (0,)}
"""Operations that drop elements of some of their inputs, with the positions of these."""

TAKEN_BY_PLACE = frozenset({"GatherNd", "GatherV2"})
"""Operations that choose elements by place: of their first input, where the places are those of truth values."""

PASSING_PLACES = frozenset({"Cast", "Identity", "Reshape", "Squeeze"})

ASKING = frozenset(
    {"IsFinite", "IsInf", "IsNan", "OnesLike", "Rank", "Shape", "ShapeN", "Size", "ZerosLike"}
)  # fmt: skip
"""Operations that ask for a shape alone, or for what is bad: what chooses by that is checked itself."""


def chosen_nodes(definition: Any, backward: AbstractSet[str]) -> Mapping[str, str]:
    """The operations of a FunctionDef that are only chosen from by one choice, the last one, each with that.

    Args:
        definition: The function's.
        backward: Names of the nodes that belong to a backward pass.
    """
    nodes = {node.name: node for node in definition.node_def}
    if not any(node.op in CHOOSING or node.op in TAKEN_BY_PLACE for node in nodes.values()):
        return {}
    if any(node.op in BRANCHING for node in nodes.values()):
        return {}  # a choice may lie in a branch that is not taken
    takers: dict[str, list[str]] = {}
    for node in nodes.values():
        for source, _ in _sources(node, nodes):
            takers.setdefault(source, []).append(node.name)
    escaping = _escaping(definition, nodes, backward)
    choices: dict[str, frozenset[str]] = {}
    for node in reversed(definition.node_def):
        if node.name not in escaping and fd.data_inputs(node):
            choices[node.name] = _behind(node.name, takers, escaping, choices)
    places = {name: place for place, name in enumerate(nodes)}
    found = {name: next(iter(behind)) for name, behind in choices.items() if len(behind) == 1}
    return {name: choice for name, choice in found.items() if places[choice] > places[name]}


def _behind(
    name: str, takers: Mapping[str, list[str]], escaping: AbstractSet[str], choices: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """The choices that what a node puts out ends at."""
    ends = (
        frozenset({taker}) if taker in escaping else choices.get(taker, frozenset()) for taker in takers.get(name, ())
    )
    return frozenset[str]().union(*ends)


def _escaping(definition: Any, nodes: Mapping[str, Any], backward: AbstractSet[str]) -> set[str]:
    """The nodes whose results matter as they are."""
    waiting = [fd.node_of(tensor) for tensor in definition.ret.values()]
    waiting.extend(name for name, node in nodes.items() if name in backward or not _is_arithmetic(node))
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in nodes and name not in found:
            found.add(name)
            waiting.extend(source for source, is_choice in _sources(nodes[name], nodes) if not is_choice)
    return found


def _sources(node: Any, nodes: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The nodes that another takes elements of, and whether it is one that chooses among them."""
    if node.op in ASKING:
        return
    tensors = fd.data_inputs(node)
    dropping = CHOOSING.get(node.op, ())
    if node.op in TAKEN_BY_PLACE and _is_where(tensors[1], nodes):
        dropping = (0,)
    for position, tensor in enumerate(tensors):
        yield fd.node_of(tensor), position in dropping


def _is_where(tensor: str, nodes: Mapping[str, Any]) -> bool:
    """Whether places are those at which truth values are true, as `tf.boolean_mask` takes them."""
    node = nodes.get(fd.node_of(tensor))
    while node is not None and node.op in PASSING_PLACES:
        node = nodes.get(fd.node_of(node.input[0]))
    return node is not None and node.op == "Where"


def _is_arithmetic(node: Any) -> bool:
    """Whether a node has no effects and makes floating-point numbers, in which what is bad can still be seen."""
    if not has_no_effects(node.op) or any(True for _ in fd.functions_named(node)):
        return False
    return all(output.dtype in dtypes.FLOATS for output in fd.outputs(node))


def has_no_effects(op_type: str) -> bool:
    """Whether operations of a type do nothing but compute what they put out."""
    known = op_def_registry.get(op_type)
    return known is not None and not known.is_stateful
