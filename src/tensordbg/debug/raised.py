"""What an exception says of the operation that raised it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NODE = (
    re.compile(r"\[\[\{\{(?:function_node \S+? )?node (?P<name>[^}\s]+)\}\}"),
    re.compile(r"Detected at node (?P<name>\S+) defined at"),
    re.compile(r"\{\{node (?P<name>[^}\s]+)\}\}"),
    re.compile(r"\[Op:(?P<name>\w+)\]"),
)
"""How TensorFlow names a node in a message, the surest first; an eager operation by its type."""

_OWN = "__wrapped__"
"""In place of the function of an eager operation."""


def described(error: BaseException) -> str:
    """Type and message, as the last line of a traceback has them, with all of the message."""
    message = str(error).strip()
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def operation_of(error: BaseException) -> str:
    """The name of the operation that raised, empty where the exception does not tell."""
    for each in chain(error):
        node = getattr(each, "node_def", None)
        name = getattr(node, "name", "")
        if name:
            return str(name)
        for pattern in _NODE:
            for match in pattern.finditer(str(each)):
                if not match["name"].startswith(_OWN):
                    return match["name"].rstrip(",")
    return ""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and those that it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
