"""What functions are called here whose names in a graph may mean other functions elsewhere in the process."""

from __future__ import annotations

import re


def own_name(name: str, number: int) -> str:
    """A name for the function that a graph calls `name`, which no function that is traced can have."""
    return f"{name}@{number}"


def name_in_graph(name: str) -> str:
    """What a function is called by the graph that it is from, and by the runtime that runs it."""
    return re.sub(r"@\d+$", "", name)
