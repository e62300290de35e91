"""Which arguments of the functions of a capture are handles of variables: the step's own, and what it hands on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.model import CallKind


def handles_by_function(library: Any, handles: Mapping[int, Any]) -> dict[str, dict[int, Any]]:
    """Follows handles from the step through its calls, loops and branches.

    Args:
        library: The FunctionDefLibrary of a capture, the step first.
        handles: Of variables, by the number of the step's argument.

    Returns:
        For each function that takes any: the handles by the number of the argument. A function that is called with
        different ones keeps the first.
    """
    definitions = {each.signature.name: each for each in library.function}
    step = library.function[0].signature.name
    found: dict[str, dict[int, Any]] = {step: dict(handles)}
    waiting = [step]
    while waiting:
        name = waiting.pop()
        arguments = definitions[name].signature.input_arg
        known = {arguments[number].name: handle for number, handle in found[name].items()}
        for node in definitions[name].node_def:
            given = _handles_passed(node, known)
            for called in fd.called_functions(node) if given else ():
                if called in definitions and called not in found:
                    found[called] = given
                    waiting.append(called)
    return found


def _handles_passed(node: Any, known: Mapping[str, Any]) -> dict[int, Any]:
    """The handles among what a node hands to the functions that it calls."""
    if node.op not in fd.CALLS:
        return {}
    # A branch is chosen by the first input, which it is not given.
    skipped = 1 if fd.CALLS[node.op] is CallKind.IF else 0
    return {number: known[name] for number, name in enumerate(node.input[skipped:]) if name in known}
