"""Compares functions by what they compute: a name says which one is meant in one graph only.

A process counts its functions up in their names, so graphs that come from two processes have functions of the same
names with other contents. And a function that was exported comes back without the attributes that had their default,
and with some that tell of shapes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tensordbg.backends.tensorflow.attributes import attributes_json
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.node_names import of_node
from tensordbg.backends.tensorflow.internals import op_def_registry
from tensordbg.model import NONE, Site


def completed(definition: Any) -> Any:
    """A copy of a FunctionDef in which no attribute is left out because it has its default."""
    copy = type(definition)()
    copy.CopyFrom(definition)
    for node in copy.node_def:
        known = op_def_registry.get(node.op)
        for attribute in known.attr if known is not None else ():
            if attribute.HasField("default_value") and attribute.name not in node.attr:
                node.attr[attribute.name].CopyFrom(attribute.default_value)
    return copy


def are_alike(one: Any, other: Any) -> bool:
    """Whether two FunctionDefs that are complete compute the same, calling functions of the same names."""
    if _results(one) != _results(other) or len(one.node_def) != len(other.node_def):
        return False
    nodes = {node.name: node for node in other.node_def}
    return all(node.name in nodes and _nodes_are_alike(node, nodes[node.name]) for node in one.node_def)


def may_be_described_by(definition: Any, sites: Iterable[Site]) -> bool:
    """Whether sites may be those of a FunctionDef that is complete; large constants aren't compared."""
    by_name = {site.name: site for site in sites if site.argument == NONE}
    return all(_is_of(of_node(by_name, node.name), node) for node in definition.node_def)


def _results(definition: Any) -> tuple[object, ...]:
    arguments = [(argument.name, argument.type) for argument in definition.signature.input_arg]
    return arguments, [(result.type, definition.ret[result.name]) for result in definition.signature.output_arg]


def _nodes_are_alike(one: Any, other: Any) -> bool:
    return (one.op, list(one.input)) == (other.op, list(other.input)) and _said(one) == _said(other)


def _said(node: Any) -> dict[str, bytes]:
    """The attributes that say what a node computes; TensorFlow notes other things beside them."""
    values = node.attr.items()
    return {name: value.SerializeToString(deterministic=True) for name, value in values if not name.startswith("_")}


def _is_of(site: Site | None, node: Any) -> bool:
    if site is None or (site.op_type, site.called) != (node.op, fd.called_functions(node)):
        return False
    told = json.loads(site.attributes)
    return all(told.get(name) == value for name, value in json.loads(attributes_json(node)).items())
