"""Names for functions whose names in a graph may mean other functions elsewhere in the process."""

from __future__ import annotations

import re


def own_name(name: str, number: int) -> str:
    """A name for the function that a graph calls `name`, which no function that is traced can have."""
    return f"{name}@{number}"


def name_in_graph(name: str) -> str:
    """The name of a function in the graph that it is from, and in the runtime that runs it."""
    return re.sub(r"@\d+$", "", name)
