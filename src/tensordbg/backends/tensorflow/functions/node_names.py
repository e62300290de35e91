"""Leads the nodes of a function's definition back to the operations of the Python graph that it was made from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

_T = TypeVar("_T")


def names_in_graph(nodes: list[Any], graph: Any) -> dict[str, str]:
    """The operation's name in the Python graph for each node: a definition renames what is also a result's name."""
    arguments = {tensor.op.name for tensor in graph.inputs}
    operations = [operation for operation in graph.get_operations() if operation.name not in arguments]
    # The definition is made from these operations, in this order.
    if [operation.type for operation in operations] != [node.op for node in nodes]:
        return {node.name: node.name for node in nodes}
    return {node.name: operation.name for node, operation in zip(nodes, operations, strict=True)}


def of_node(by_operation: Mapping[str, _T], name: str) -> _T | None:
    """The entry of a definition's node, by the name of its operation, where the operations aren't at hand."""
    found = by_operation.get(name)
    return by_operation.get(re.sub(r"_\d+$", "", name)) if found is None else found
