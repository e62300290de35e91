"""The exceptions that checks and traps raise in TensorFlow, and what TensorFlow's own say of an operation."""

from __future__ import annotations

import re

from tensordbg.checking.found import CheckFound
from tensordbg.recording.carried import ON_THE_WAY, Sent, carry, chain

_NODE = (
    re.compile(r"\[\[\{\{(?:function_node \S+? )?node (?P<name>[^}\s]+)\}\}"),
    re.compile(r"Detected at node (?P<name>\S+) defined at"),
    re.compile(r"\{\{node (?P<name>[^}\s]+)\}\}"),
    re.compile(r"\[Op:(?P<name>\w+)\]"),
)
"""How TensorFlow names a node in a message, the surest first; an eager operation by its type."""

_OWN = "__wrapped__"
"""In place of the function of an eager operation."""


def error_of(message: str) -> Exception:
    """The exception with which a message ends the program; it carries what was found."""
    import tensorflow as tf  # imported by the program already

    error: Exception = tf.errors.InvalidArgumentError(None, None, message)
    sent = ON_THE_WAY.within(message)
    if sent is not None:
        carry(error, sent.found)
    return error


def check_within(error: BaseException) -> Sent | None:
    """The check's message that an error holds, with what the runtime wrote around it; None where it holds none."""
    sent = ON_THE_WAY.within(str(getattr(error, "message", "")))
    return sent if sent is not None and isinstance(sent.found, CheckFound) else None


def raise_own(error: Exception) -> None:
    """Raises the message of a check in a graph, where an error holds one, without what the runtime wrote around it."""
    sent = check_within(error)
    if sent is not None:
        raise error_of(sent.message) from None


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
