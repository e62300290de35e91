"""Iterations of all loops around a tensor, which a number of an iteration alone does not tell in nested ones."""

from __future__ import annotations

from tensordbg.analysis.flow.values import Values
from tensordbg.model import NONE, CallKind


def iterations_around(values: Values, event: int) -> list[tuple[int, int]]:
    """The loops that a tensor was computed in, the outermost first: the site of each, and which iteration it was in."""
    return iterations_of(values, int(values.invocation[event]))


def iterations_of(values: Values, invocation: int) -> list[tuple[int, int]]:
    """The loops that a run of a graph is in, the outermost first, each with the iteration."""
    found: list[tuple[int, int]] = []
    invocations, places = values.invocations, values.places.all
    seen = set[int]()
    while invocation != NONE and invocation not in seen:
        seen.add(invocation)
        number = int(invocations.place[invocation])
        if number != NONE and places[number].kind is CallKind.WHILE and invocations.iteration[invocation] != NONE:
            found.append((places[number].call_site, int(invocations.iteration[invocation])))
        invocation = int(values.links.outer[invocation])
    return found[::-1]
