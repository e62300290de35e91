"""The turns of a loop: which came before which, and in which turn of an outer loop a loop ran."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.activations import Activations, by_owner
from tensordbg.analysis.program.places import Place, Places
from tensordbg.model import NONE


@dataclass(frozen=True)
class LoopLinks:
    """Links between the activations of one loop's condition and body."""

    turns: Ints
    """All activations of both."""
    outer: Ints
    """For each the activation that holds the loop."""
    previous: Ints
    """For each the turn of the body before it, `NONE` in the first."""
    final: Ints
    """The last turn of the body of each run of the loop that had one."""
    final_outer: Ints
    """For each of those the activation that holds the loop."""


@dataclass(frozen=True)
class _Runs:
    """Each run of one loop: one frame of one execution, or of one run of a pipeline's function."""

    beside: Ints
    """One activation of its execution and run,"""
    owner: Ints
    """and what that is part of."""
    frame: Ints
    turns: Ints
    """How often the body ran."""
    first: Ints
    """Number of the first event."""


def link_loop(
    activations: Activations, cond: Place | None, body: Place | None, places: Places
) -> tuple[Activations, LoopLinks]:
    """Link the turns of one loop; `cond` or `body` is `None` where no event lies in it."""
    some = body or cond
    assert some is not None
    if body is None:
        body = places.child(places.all[some.parent], places.program.sites[some.call_site], 1)
    numbers = [place.number for place in (cond, body) if place is not None]
    seen = np.flatnonzero(np.isin(activations.place, numbers))
    runs = _find_runs(activations, seen, body)
    if body is not None:
        activations = _fill_turns(activations, runs, body, places)
    activations, outer_of_run = _outer_of_runs(activations, runs, some, places)
    turns = np.flatnonzero(np.isin(activations.place, numbers))
    return activations, _links(activations, turns, runs, outer_of_run, body)


def _find_runs(activations: Activations, seen: Ints, body: Place | None) -> _Runs:
    owner = activations.owner[seen]
    keys = mixed(owner, activations.frame[seen])
    _, position, inverse = np.unique(keys, return_index=True, return_inverse=True)
    turns = np.zeros(len(position), dtype=np.int64)
    in_body = activations.place[seen] == (body.number if body is not None else NONE)
    # A condition that held in turn k is asked once more in turn k + 1, where the body does not run any more.
    np.maximum.at(turns, inverse, activations.iteration[seen] + in_body)
    first = np.full(len(position), np.iinfo(np.int64).max)
    np.minimum.at(first, inverse, activations.first[seen])
    return _Runs(seen[position], owner[position], activations.frame[seen[position]], turns, first)


def _fill_turns(activations: Activations, runs: _Runs, body: Place, places: Places) -> Activations:
    """Add the turns of the body of which no event tells."""
    run = np.repeat(np.arange(len(runs.turns)), runs.turns)
    iteration = np.arange(len(run)) - (np.cumsum(runs.turns) - runs.turns)[run]
    place = np.full(len(run), body.number, dtype=np.int64)
    return activations.with_rows(runs.beside[run], (place, runs.frame[run], iteration), places)


def _outer_of_runs(activations: Activations, runs: _Runs, loop: Place, places: Places) -> tuple[Activations, Ints]:
    """For each run of a loop the activation that holds it."""
    parent = np.full(len(runs.frame), loop.parent, dtype=np.int64)
    if places.all[loop.parent].loop == NONE:
        outside = (np.zeros_like(parent), np.full(len(parent), NONE, dtype=np.int64))
        activations = activations.with_rows(runs.beside, (parent, *outside), places)
        return activations, activations.lookup().find(mixed(runs.owner, parent, *outside, np.zeros_like(parent)))
    return activations, _match_nested(activations, runs, loop.parent)


def _match_nested(activations: Activations, runs: _Runs, parent: int) -> Ints:
    """Find the turn of the outer loop for each run of an inner one, by the order of events.

    Each turn of the outer loop gives the inner one a frame of its own, and they begin in the order of the turns. If
    not every outer turn ran the inner loop, the latest one that had begun is taken.
    """
    result = np.full(len(runs.frame), NONE, dtype=np.int64)
    candidates = np.flatnonzero(activations.place == parent)
    begin = _turn_begin(activations, candidates)
    for own, around in by_owner(runs.owner, activations.owner[candidates]):
        members = own[np.argsort(runs.first[own], kind="stable")]
        here = around[np.lexsort((activations.iteration[candidates[around]], begin[around]))]
        if len(members) == len(here):
            result[members] = candidates[here]
        else:
            before = np.searchsorted(begin[here], runs.first[members], side="right") - 1
            result[members] = candidates[here[np.maximum(before, 0)]]
    return result


def _turn_begin(activations: Activations, candidates: Ints) -> Ints:
    """The first event of the turn that each candidate belongs to, wherever in the turn it lies."""
    columns = (activations.owner, activations.frame, activations.iteration)
    keys = mixed(*columns)
    _, inverse = np.unique(keys, return_inverse=True)
    begin = np.full(int(inverse.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(begin, inverse, activations.first)
    return begin[inverse[candidates]]


def _links(activations: Activations, turns: Ints, runs: _Runs, outer_of_run: Ints, body: Place | None) -> LoopLinks:
    run_key = mixed(runs.owner, runs.frame)
    order = np.argsort(run_key)
    key = mixed(activations.owner[turns], activations.frame[turns])
    run = order[np.searchsorted(run_key[order], key)]
    number = body.number if body is not None else NONE
    zeros = np.zeros_like(turns)

    def body_turn(owner: Ints, frame: Ints, iteration: Ints) -> Ints:
        place = np.full(len(owner), number, dtype=np.int64)
        return activations.lookup().find(mixed(owner, place, frame, iteration, zeros[: len(owner)]))

    previous = body_turn(activations.owner[turns], activations.frame[turns], activations.iteration[turns] - 1)
    previous[activations.iteration[turns] <= 0] = NONE
    ran = np.flatnonzero((runs.turns > 0) & (outer_of_run != NONE))
    final = body_turn(runs.owner[ran], runs.frame[ran], runs.turns[ran] - 1)
    kept = final != NONE
    return LoopLinks(turns, outer_of_run[run], previous, final[kept], outer_of_run[ran][kept])
