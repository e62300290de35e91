"""Invocations: each time that a graph ran, at one place of an execution and in one iteration of a loop.

The values of an invocation have addresses side by side, in the order of its block's ports. So the value that an edge of
the graph refers to lies at an address that is computed, not searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.hashing import Lookup, mixed
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.events import Events, Executions
from tensordbg.analysis.program.places import Places
from tensordbg.analysis.program.ports import Ports
from tensordbg.model import NONE

_LATE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Invocations:
    """Columns; row k < number of executions is the outermost invocation of execution k."""

    execution: Ints
    place: Ints
    """Number in `Places`, `NONE` for an eager operation."""
    frame: Ints
    iteration: Ints
    occurrence: Ints
    """Tells invocations apart that share all of the above, because the runtime did not inline the call."""
    block: Ints
    first: Ints
    """Number of the first event, very large where there is none."""
    last: Ints
    """Number of the last event, `NONE` where there is none."""
    run: Ints
    """Which run of a pipeline's function; 0 for an execution's own."""

    def __len__(self) -> int:
        return len(self.execution)

    def keys(self) -> Ints:
        """A key of each invocation."""
        return mixed(self.owner, self.place, self.frame, self.iteration, self.occurrence)

    @cached_property
    def owner(self) -> Ints:
        """The owner of each invocation, as one number: its execution, or the run of a pipeline's function."""
        return np.where(self.run == 0, self.execution, NONE - self.run)

    def lookup(self) -> Lookup:
        """Finds an invocation by `mixed(owner, place, frame, iteration, occurrence)`."""
        return Lookup.of(self.keys())

    def with_rows(self, beside: Ints, rows: tuple[Ints, Ints, Ints], places: Places) -> Invocations:
        """These and others of which no event tells, where they are not here yet.

        Args:
            beside: For each one of the same owner.
            rows: Place, frame and iteration of each.
            places: The places.
        """
        place, frame, iteration = rows
        execution, run = self.execution[beside], self.run[beside]
        zeros = np.zeros_like(place)
        keys, position = np.unique(mixed(self.owner[beside], place, frame, iteration, zeros), return_index=True)
        new = position[self.lookup().find(keys) == NONE]
        return Invocations(
            execution=np.concatenate([self.execution, execution[new]]),
            place=np.concatenate([self.place, place[new]]),
            frame=np.concatenate([self.frame, frame[new]]),
            iteration=np.concatenate([self.iteration, iteration[new]]),
            occurrence=np.concatenate([self.occurrence, zeros[new]]),
            block=np.concatenate([self.block, places.column("block")[place[new]]]),
            first=np.concatenate([self.first, np.full(len(new), _LATE)]),
            last=np.concatenate([self.last, np.full(len(new), NONE)]),
            run=np.concatenate([self.run, run[new]]),
        )


def by_owner(owner: Ints, other: Ints) -> Iterator[tuple[Ints, Ints]]:
    """For each owner that stands in two columns where it stands in the one and in the other."""
    order, others = np.argsort(owner, kind="stable"), np.argsort(other, kind="stable")
    known, begin = np.unique(owner[order], return_index=True)
    end = np.append(begin, len(owner))[1:]
    first, last = (np.searchsorted(other[others], known, side=side) for side in ("left", "right"))
    for place in np.flatnonzero(first < last).tolist():
        yield order[begin[place] : end[place]], others[first[place] : last[place]]


def find_invocations(events: Events, executions: Executions, ports: Ports, places: Places) -> tuple[Invocations, Ints]:
    """Find the invocations that the events tell of.

    Returns:
        invocations: The table; the outermost invocation of every execution comes first.
        invocation: For each event the row of its invocation.
    """
    starts = _run_starts(events, ports)
    run_of_event = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(events))))
    row, frame, iteration = events.execution[starts], events.frame[starts], events.iteration[starts]
    run = events.run[starts]
    block = ports.block[events.site[starts]]
    root_block = _root_blocks(executions, ports)
    place = _places_of_runs(row, events.path[starts], block, root_block, executions, places)
    outermost = (row >= 0) & (block == np.append(root_block, NONE)[row]) & (frame == 0) & (iteration == NONE)
    outermost &= (places.column("parent")[place] == NONE) & (run == 0)
    inner = np.flatnonzero(~outermost)
    keys = mixed(row[inner], place[inner], frame[inner], iteration[inner], run[inner])
    _, position, inverse = np.unique(keys, return_index=True, return_inverse=True)
    chosen = inner[position]
    invocation_of_run = np.where(outermost, row, 0)
    invocation_of_run[inner] = len(executions) + inverse
    invocations = Invocations(
        execution=np.concatenate([np.arange(len(executions)), row[chosen]]),
        place=np.concatenate([_root_places(executions, places), place[chosen]]),
        frame=np.concatenate([np.zeros(len(executions), dtype=np.int64), frame[chosen]]),
        iteration=np.concatenate([np.full(len(executions), NONE), iteration[chosen]]),
        occurrence=np.zeros(len(executions) + len(chosen), dtype=np.int64),
        block=np.concatenate([root_block, block[chosen]]),
        first=np.empty(0, dtype=np.int64),
        last=np.empty(0, dtype=np.int64),
        run=np.concatenate([np.zeros(len(executions), dtype=np.int64), run[chosen]]),
    )
    invocation = invocation_of_run[run_of_event]
    return with_extent(invocations, invocation), invocation


def with_extent(invocations: Invocations, invocation: Ints) -> Invocations:
    """Adds to each invocation the numbers of its first and its last event."""
    first, last = np.full(len(invocations), _LATE), np.full(len(invocations), NONE)
    changes = np.flatnonzero(np.diff(invocation, prepend=-2, append=-2))
    owner = invocation[changes[:-1]]
    np.minimum.at(first, owner, changes[:-1])
    np.maximum.at(last, owner, changes[1:] - 1)
    return replace(invocations, first=first, last=last)


def _run_starts(events: Events, ports: Ports) -> Ints:
    """Where a run of events begins that all belong to one invocation."""
    changed = np.zeros(len(events), dtype=np.bool_)
    changed[:1] = True
    for column in (events.execution, events.path, events.frame, events.iteration, events.run, ports.block[events.site]):
        changed[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changed)


def _root_blocks(executions: Executions, ports: Ports) -> Ints:
    site = np.minimum(executions.site, len(ports.block) - 1)
    eager = np.where(site >= 0, ports.block[site], NONE) if len(ports.block) else np.full(len(site), NONE)
    return np.where(executions.function >= 0, executions.graph, eager)


def _root_places(executions: Executions, places: Places) -> Ints:
    result = np.full(len(executions), NONE, dtype=np.int64)
    for graph in np.unique(executions.graph[executions.graph >= 0]).tolist():
        result[executions.graph == graph] = places.root(graph).number
    return result


def _places_of_runs(
    row: Ints, path: Ints, block: Ints, root_block: Ints, executions: Executions, places: Places
) -> Ints:
    """The place of each run of events; `NONE` for eager operations."""
    graph = np.append(executions.graph, NONE)[row]
    result = np.full(len(row), NONE, dtype=np.int64)
    eager = (row >= 0) & (graph == NONE) & (block == np.append(root_block, NONE)[row])
    rest = np.flatnonzero(~eager)
    key = mixed(graph[rest], path[rest], block[rest])
    _, position, inverse = np.unique(key, return_index=True, return_inverse=True)
    numbers = [
        places.find(int(graph[k]), places.program.paths.get(int(path[k]), ""), int(block[k])).number
        for k in rest[position].tolist()
    ]
    result[rest] = np.array(numbers, dtype=np.int64)[inverse]
    return result
