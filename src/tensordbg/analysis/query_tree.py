"""The tree that DuckDB makes of a query: what its nodes are, what is in them, and others in the place of some."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

Node = dict[str, Any]
"""A part of the tree."""

_PLACES = ("query_location", "query_location_length", "alias")
"""Fields of a node that are not its meaning."""


def orders_of(query: Node) -> list[Node]:
    """The expressions by which a query is ordered."""
    return [one["expression"] for each in query["modifiers"] for one in each.get("orders", ())]


def name_of(node: Node) -> str | None:
    """The name that a node is, in small letters, if it is one without that of a table."""
    names = node["column_names"] if node.get("class") == "COLUMN_REF" else []
    return str(names[0]).lower() if len(names) == 1 else None


def arguments_of(function: Node) -> list[Node]:
    """The expressions that a function is given; newer releases of DuckDB put a name around each."""
    given = function["arguments"] if "arguments" in function else function["children"]
    return [each.get("expression", each) for each in given]


def meaning_of(node: Node) -> str:
    """A text that is the same for the same expressions."""
    return json.dumps(_bare(node), sort_keys=True)


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        bare = {key: _bare(each) for key, each in value.items() if key not in _PLACES}
        if bare.get("class") == "COLUMN_REF":
            bare["column_names"] = [name.lower() for name in bare["column_names"]]
        return bare
    return [_bare(each) for each in value] if isinstance(value, list) else value


def nodes_in(value: Any) -> Iterator[Node]:
    """A node and all in it."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from nodes_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from nodes_in(each)


def exchange(value: Any, other: Callable[[Node], Node | None]) -> Any:
    """A copy of a node in which those for which there is another one, the outermost first, are exchanged."""
    if isinstance(value, dict):
        found = other(value)
        return {key: exchange(each, other) for key, each in value.items()} if found is None else found
    return [exchange(each, other) for each in value] if isinstance(value, list) else value
