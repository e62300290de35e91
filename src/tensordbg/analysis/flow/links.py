"""Links between activations: who called whom, and which turn of a loop came before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.hashing import Lookup, mixed
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.activations import Activations, by_owner
from tensordbg.analysis.flow.loops import link_loop
from tensordbg.analysis.flow.silent import add_silent_writers
from tensordbg.analysis.program.places import BODY, COND, Place, Places
from tensordbg.model import NONE, CallKind


@dataclass(frozen=True)
class Links:
    """For each activation those next to it."""

    outer: Ints
    """The activation that called it, `NONE` for an outermost one."""
    previous: Ints
    """In a loop the turn of the body before it, `NONE` in the first."""
    inner: Lookup
    """From `mixed(activation, call site)` to the activation that gave the call's results: of a loop the last turn."""

    def called_from(self, activation: Ints, call_site: Ints) -> Ints:
        """The activation whose outputs are those of a call operation, `NONE` where none was recorded."""
        return self.inner.find(mixed(activation, call_site))


def link_activations(activations: Activations, places: Places) -> tuple[Activations, Links]:
    """Link all activations, and add those that no event tells of but that lie between others."""
    activations = add_silent_writers(activations, places)
    pairs: list[tuple[Ints, Ints]] = []  # activation, the one that called it
    turns: list[tuple[Ints, Ints]] = []  # activation, the turn before it
    results: list[tuple[Ints, Ints, int]] = []  # activation that gave the results, its caller, call site
    depth = max((place.depth for place in places.all), default=0)
    for level in range(depth, 0, -1):
        for place in [place for place in places.all if place.depth == level]:
            if place.kind is CallKind.WHILE:
                continue
            activations, inner, outer = _link_call(activations, place, places)
            pairs.append((inner, outer))
            results.append((inner, outer, place.call_site))
        for cond, body in _loops(places, level):
            activations, loop = link_loop(activations, cond, body, places)
            pairs.append((loop.turns, loop.outer))
            turns.append((loop.turns, loop.previous))
            results.append((loop.final, loop.final_outer, (body or cond).call_site))  # type: ignore[union-attr]
    outer = np.full(len(activations), NONE, dtype=np.int64)
    previous = outer.copy()
    for inner, caller in pairs:
        outer[inner] = caller
    for turn, before in turns:
        previous[turn] = before
    return activations, Links(outer, previous, _inner_lookup(results))


def _link_call(activations: Activations, place: Place, places: Places) -> tuple[Activations, Ints, Ints]:
    """Link the activations at one place with those of the caller, which has the same frame and iteration."""
    inner = np.flatnonzero(activations.place == place.number)
    parent = np.full(len(inner), place.parent, dtype=np.int64)
    columns = (parent, activations.frame[inner], activations.iteration[inner])
    owner = activations.owner[inner]
    found = activations.lookup().find(mixed(owner, *columns, activations.occurrence[inner]))
    strayed = (activations.occurrence[inner] > 0) | (
        (activations.frame[inner] == 0) & (places.all[place.parent].loop != NONE)
    )
    lost = np.flatnonzero((found == NONE) & strayed)
    found[lost] = by_order(activations, inner[lost], place.parent)
    lost = np.flatnonzero(found == NONE)
    if len(lost):
        callers, frame, iteration = (column[lost] for column in columns)
        activations = activations.with_rows(inner[lost], (callers, frame, iteration), places)
        found[lost] = activations.lookup().find(mixed(owner[lost], callers, frame, iteration, np.zeros_like(lost)))
    return activations, inner, found


def by_order(activations: Activations, inner: Ints, place: int) -> Ints:
    """Match calls that were not inlined with activations of their caller, where the numbers of turns do not tell.

    Of each owner the k-th with the k-th if there are as many, else each with the latest that began before it.
    """
    result = np.full(len(inner), NONE, dtype=np.int64)
    candidates = np.flatnonzero(activations.place == place)
    for own, of_same in by_owner(activations.owner[inner], activations.owner[candidates]):
        callers = candidates[of_same[np.argsort(activations.first[candidates[of_same]], kind="stable")]]
        members = own[np.argsort(activations.first[inner[own]], kind="stable")]
        if len(members) == len(callers):
            result[members] = callers
        else:
            before = np.searchsorted(activations.first[callers], activations.first[inner[members]]) - 1
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
