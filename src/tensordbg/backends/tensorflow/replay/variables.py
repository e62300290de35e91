"""Finds, for the variables of a capture, those of the program that runs here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tensordbg.capture.header import StoredVariable
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array

Key = tuple[str, tuple[int, ...], str]


def live_variables(concrete: Any) -> dict[int, Any]:
    """The variables that a concrete function captures, by the argument that is the handle."""
    known = {id(variable.handle): variable for variable in concrete.graph.variables}
    inputs = list(concrete.graph.inputs)
    found = {}
    for outer, inner in concrete.graph.captures:
        if id(outer) in known:
            position = next(i for i, tensor in enumerate(inputs) if tensor is inner)
            found[position] = known[id(outer)]
    return dict(sorted(found.items()))


def matched_variables(capture: Capture, concrete: Any) -> Iterator[tuple[StoredVariable, Any, Array]]:
    """Each captured variable with its counterpart, or None, and its value.

    They are matched in the order in which the function captures them, by name, shape and dtype; then without the name.
    """
    values = capture.variables()
    stored = [each for each in capture.header.variables if each.argument in values]
    live: list[Any] = list(live_variables(concrete).values())
    taken: dict[int, Any] = {}
    for named in (True, False):
        waiting: defaultdict[Key, list[Any]] = defaultdict(list)
        for variable in live:
            if not any(variable is other for other in taken.values()):
                waiting[_live_key(variable, named)].append(variable)
        for each in stored:
            candidates = waiting[_stored_key(each, named)]
            if each.argument not in taken and candidates:
                taken[each.argument] = candidates.pop(0)
    for each in stored:
        yield each, taken.get(each.argument), values[each.argument]


def _live_key(variable: Any, named: bool) -> Key:
    name = str(variable.name).removesuffix(":0") if named else ""
    return name, tuple(variable.shape.as_list()), variable.dtype.name


def _stored_key(stored: StoredVariable, named: bool) -> Key:
    return stored.tensor.name if named else "", stored.tensor.shape, stored.tensor.dtype
