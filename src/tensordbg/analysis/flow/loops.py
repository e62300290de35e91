"""The iterations of a loop: which came before which, and in which iteration of an outer loop a loop ran."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.invocations import Invocations, by_owner
from tensordbg.analysis.program.places import Place, Places
from tensordbg.model import NONE


@dataclass(frozen=True)
class LoopLinks:
    """Links between the invocations of one loop's condition and body."""

    turns: Ints
    """All invocations of both."""
    outer: Ints
    """For each the invocation that holds the loop."""
    previous: Ints
    """For each the iteration of the body before it, `NONE` in the first."""
    final: Ints
    """The last iteration of the body of each run of the loop that had one."""
    final_outer: Ints
    """For each of those the invocation that holds the loop."""


@dataclass(frozen=True)
class _Runs:
    """Each run of one loop: one frame of one execution, or of one run of a pipeline's function."""

    beside: Ints
    """One invocation of its execution and run,"""
    owner: Ints
    """and what that is part of."""
    frame: Ints
    turns: Ints
    """How often the body ran."""
    first: Ints
    """Number of the first event."""


def link_loop(
    invocations: Invocations, cond: Place | None, body: Place | None, places: Places
) -> tuple[Invocations, LoopLinks]:
    """Link the iterations of one loop; `cond` or `body` is `None` where no event lies in it."""
    some = body or cond
    assert some is not None
    if body is None:
        body = places.child(places.all[some.parent], places.program.sites[some.call_site], 1)
    numbers = [place.number for place in (cond, body) if place is not None]
    seen = np.flatnonzero(np.isin(invocations.place, numbers))
    runs = _find_runs(invocations, seen, body)
    if body is not None:
        invocations = _fill_iterations(invocations, runs, body, places)
    invocations, outer_of_run = _outer_of_runs(invocations, runs, some, places)
    turns = np.flatnonzero(np.isin(invocations.place, numbers))
    return invocations, _links(invocations, turns, runs, outer_of_run, body)


def _find_runs(invocations: Invocations, seen: Ints, body: Place | None) -> _Runs:
    owner = invocations.owner[seen]
    keys = mixed(owner, invocations.frame[seen])
    _, position, inverse = np.unique(keys, return_index=True, return_inverse=True)
    turns = np.zeros(len(position), dtype=np.int64)
    in_body = invocations.place[seen] == (body.number if body is not None else NONE)
    # A condition that held in iteration k is asked once more in iteration k + 1, where the body does not run any more.
    np.maximum.at(turns, inverse, invocations.iteration[seen] + in_body)
    first = np.full(len(position), np.iinfo(np.int64).max)
    np.minimum.at(first, inverse, invocations.first[seen])
    return _Runs(seen[position], owner[position], invocations.frame[seen[position]], turns, first)


def _fill_iterations(invocations: Invocations, runs: _Runs, body: Place, places: Places) -> Invocations:
    """Add the iterations of the body of which no event tells."""
    run = np.repeat(np.arange(len(runs.turns)), runs.turns)
    iteration = np.arange(len(run)) - (np.cumsum(runs.turns) - runs.turns)[run]
    place = np.full(len(run), body.number, dtype=np.int64)
    return invocations.with_rows(runs.beside[run], (place, runs.frame[run], iteration), places)


def _outer_of_runs(invocations: Invocations, runs: _Runs, loop: Place, places: Places) -> tuple[Invocations, Ints]:
    """For each run of a loop the invocation that holds it."""
    parent = np.full(len(runs.frame), loop.parent, dtype=np.int64)
    if places.all[loop.parent].loop == NONE:
        outside = (np.zeros_like(parent), np.full(len(parent), NONE, dtype=np.int64))
        invocations = invocations.with_rows(runs.beside, (parent, *outside), places)
        return invocations, invocations.lookup().find(mixed(runs.owner, parent, *outside, np.zeros_like(parent)))
    return invocations, _match_nested(invocations, runs, loop.parent)


def _match_nested(invocations: Invocations, runs: _Runs, parent: int) -> Ints:
    """Find the iteration of the outer loop for each run of an inner one, by the order of events.

    Each iteration of the outer loop gives the inner one a frame of its own, and they begin in the order of the
    iterations. If not every outer iteration ran the inner loop, the latest one that had begun is taken.
    """
    result = np.full(len(runs.frame), NONE, dtype=np.int64)
    candidates = np.flatnonzero(invocations.place == parent)
    begin = _iteration_begin(invocations, candidates)
    for own, around in by_owner(runs.owner, invocations.owner[candidates]):
        members = own[np.argsort(runs.first[own], kind="stable")]
        here = around[np.lexsort((invocations.iteration[candidates[around]], begin[around]))]
        if len(members) == len(here):
            result[members] = candidates[here]
        else:
            before = np.searchsorted(begin[here], runs.first[members], side="right") - 1
            result[members] = candidates[here[np.maximum(before, 0)]]
    return result


def _iteration_begin(invocations: Invocations, candidates: Ints) -> Ints:
    """The first event of the iteration that each candidate belongs to, wherever in it the candidate lies."""
    columns = (invocations.owner, invocations.frame, invocations.iteration)
    keys = mixed(*columns)
    _, inverse = np.unique(keys, return_inverse=True)
    begin = np.full(int(inverse.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(begin, inverse, invocations.first)
    return begin[inverse[candidates]]


def _links(invocations: Invocations, turns: Ints, runs: _Runs, outer_of_run: Ints, body: Place | None) -> LoopLinks:
    run_key = mixed(runs.owner, runs.frame)
    order = np.argsort(run_key)
    key = mixed(invocations.owner[turns], invocations.frame[turns])
    run = order[np.searchsorted(run_key[order], key)]
    number = body.number if body is not None else NONE
    zeros = np.zeros_like(turns)

    def body_iteration(owner: Ints, frame: Ints, iteration: Ints) -> Ints:
        place = np.full(len(owner), number, dtype=np.int64)
        return invocations.lookup().find(mixed(owner, place, frame, iteration, zeros[: len(owner)]))

    previous = body_iteration(invocations.owner[turns], invocations.frame[turns], invocations.iteration[turns] - 1)
    previous[invocations.iteration[turns] <= 0] = NONE
    ran = np.flatnonzero((runs.turns > 0) & (outer_of_run != NONE))
    final = body_iteration(runs.owner[ran], runs.frame[ran], runs.turns[ran] - 1)
    kept = final != NONE
    return LoopLinks(turns, outer_of_run[run], previous, final[kept], outer_of_run[ran][kept])
