"""Leads the nodes of a function's definition back to the operations of the Python graph that it was made from."""

from __future__ import annotations

from typing import Any


def names_in_graph(nodes: list[Any], graph: Any) -> dict[str, str]:
    """The operation's name in the Python graph for each node: a definition renames what is also a result's name."""
    arguments = {tensor.op.name for tensor in graph.inputs}
    operations = [operation for operation in graph.get_operations() if operation.name not in arguments]
    # The definition is made from these operations, in this order.
    if [operation.type for operation in operations] != [node.op for node in nodes]:
        return {node.name: node.name for node in nodes}
    return {node.name: operation.name for node, operation in zip(nodes, operations, strict=True)}
