"""Links between invocations: who called whom, and which iteration of a loop came before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.hashing import Lookup, mixed
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.invocations import Invocations, by_owner
from tensordbg.analysis.flow.loops import link_loop
from tensordbg.analysis.flow.writers_without_events import add_writers_without_events
from tensordbg.analysis.program.places import BODY, COND, Place, Places
from tensordbg.model import NONE, CallKind


@dataclass(frozen=True)
class Links:
    """For each invocation those next to it."""

    outer: Ints
    """The invocation that called it, `NONE` for an outermost one."""
    previous: Ints
    """In a loop the iteration of the body before it, `NONE` in the first."""
    inner: Lookup
    """From `mixed(invocation, call site)` to the invocation that gave the call's results: a loop's last."""

    def called_from(self, invocation: Ints, call_site: Ints) -> Ints:
        """The invocation whose outputs are those of a call operation, `NONE` where none was recorded."""
        return self.inner.find(mixed(invocation, call_site))


def link_invocations(invocations: Invocations, places: Places) -> tuple[Invocations, Links]:
    """Link all invocations, and add those that no event tells of but that lie between others."""
    invocations = add_writers_without_events(invocations, places)
    pairs: list[tuple[Ints, Ints]] = []  # invocation, the one that called it
    turns: list[tuple[Ints, Ints]] = []  # invocation, the iteration before it
    results: list[tuple[Ints, Ints, int]] = []  # invocation that gave the results, its caller, call site
    depth = max((place.depth for place in places.all), default=0)
    for level in range(depth, 0, -1):
        for place in [place for place in places.all if place.depth == level]:
            if place.kind is CallKind.WHILE:
                continue
            invocations, inner, outer = _link_call(invocations, place, places)
            pairs.append((inner, outer))
            results.append((inner, outer, place.call_site))
        for cond, body in _loops(places, level):
            invocations, loop = link_loop(invocations, cond, body, places)
            pairs.append((loop.turns, loop.outer))
            turns.append((loop.turns, loop.previous))
            results.append((loop.final, loop.final_outer, (body or cond).call_site))  # type: ignore[union-attr]
    outer = np.full(len(invocations), NONE, dtype=np.int64)
    previous = outer.copy()
    for inner, caller in pairs:
        outer[inner] = caller
    for turn, before in turns:
        previous[turn] = before
    return invocations, Links(outer, previous, _inner_lookup(results))


def _link_call(invocations: Invocations, place: Place, places: Places) -> tuple[Invocations, Ints, Ints]:
    """Link the invocations at one place with those of the caller, which has the same frame and iteration."""
    inner = np.flatnonzero(invocations.place == place.number)
    parent = np.full(len(inner), place.parent, dtype=np.int64)
    columns = (parent, invocations.frame[inner], invocations.iteration[inner])
    owner = invocations.owner[inner]
    found = invocations.lookup().find(mixed(owner, *columns, invocations.occurrence[inner]))
    strayed = (invocations.occurrence[inner] > 0) | (
        (invocations.frame[inner] == 0) & (places.all[place.parent].loop != NONE)
    )
    lost = np.flatnonzero((found == NONE) & strayed)
    found[lost] = by_order(invocations, inner[lost], place.parent)
    lost = np.flatnonzero(found == NONE)
    if len(lost):
        callers, frame, iteration = (column[lost] for column in columns)
        invocations = invocations.with_rows(inner[lost], (callers, frame, iteration), places)
        found[lost] = invocations.lookup().find(mixed(owner[lost], callers, frame, iteration, np.zeros_like(lost)))
    return invocations, inner, found


def by_order(invocations: Invocations, inner: Ints, place: int) -> Ints:
    """Match calls that were not inlined with invocations of their caller, where the numbers of iterations do not tell.

    Of each owner the k-th with the k-th if there are as many, else each with the latest that began before it.
    """
    result = np.full(len(inner), NONE, dtype=np.int64)
    candidates = np.flatnonzero(invocations.place == place)
    for own, of_same in by_owner(invocations.owner[inner], invocations.owner[candidates]):
        callers = candidates[of_same[np.argsort(invocations.first[candidates[of_same]], kind="stable")]]
        members = own[np.argsort(invocations.first[inner[own]], kind="stable")]
        if len(members) == len(callers):
            result[members] = callers
        else:
            before = np.searchsorted(invocations.first[callers], invocations.first[inner[members]]) - 1
            result[members] = callers[np.maximum(before, 0)]
    return result


def _loops(places: Places, level: int) -> list[tuple[Place | None, Place | None]]:
    """Condition and body of each loop at one depth."""
    loops: dict[tuple[int, int], list[Place | None]] = {}
    for place in places.all:
        if place.kind is CallKind.WHILE and place.depth == level:
            loops.setdefault((place.parent, place.call_site), [None, None])[place.part] = place
    return [(parts[COND], parts[BODY]) for parts in loops.values()]


def _inner_lookup(results: list[tuple[Ints, Ints, int]]) -> Lookup:
    keys = [mixed(outer, np.full(len(outer), site, dtype=np.int64)) for _, outer, site in results]
    values = [inner for inner, _, _ in results]
    empty = np.empty(0, dtype=np.int64)
    return Lookup.of(np.concatenate([empty, *keys]), np.concatenate([empty, *values]))
