"""Calls that the runtime did not inline: their events do not say which call they belong to.

As a rule a path, a frame and an iteration identify an invocation. Where a function was called without being inlined,
each of its calls has the same path; then the n-th event of a port belongs to the n-th call. Such a function's caller is
looked up in the program; with several callers the calls go to them in turn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.invocations import Invocations, with_extent
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Events, Executions
from tensordbg.analysis.program.places import Place, Places
from tensordbg.analysis.program.ports import Ports
from tensordbg.model import NONE, CallKind
from tensordbg.trace.program.calls import reachable

_MOST_PLACES = 10_000
"""Where the tree of calls has more places, the search for a caller ends."""


def settle_uninlined_calls(
    invocations: Invocations, invocation: Ints, events: Events, executions: Executions, ports: Ports, places: Places
) -> tuple[Invocations, Ints]:
    """Tell repeated calls apart and put them where they were called; others are left alone.

    Args:
        invocations: As found from the events alone.
        invocation: For each event the row of its invocation.
        events: The events.
        executions: The executions.
        ports: The numbering of ports.
        places: The places, which may grow.
    """
    repeated = _repeated(invocations, invocation, events, ports)
    if len(repeated):
        invocations, invocation = _split(invocations, invocation, repeated, events)
    invocations = _put_in_place(invocations, executions, places)
    in_loop = (places.column("loop")[invocations.place] != NONE) & (invocations.iteration == NONE)
    if not in_loop.any():
        return invocations, invocation
    return (
        replace(
            invocations,
            iteration=np.where(in_loop, invocations.occurrence, invocations.iteration),
            occurrence=np.where(in_loop, 0, invocations.occurrence),
        ),
        invocation,
    )


def _repeated(invocations: Invocations, invocation: Ints, events: Events, ports: Ports) -> Ints:
    """The events of invocations in which some port has several."""
    size = ports.block_size[invocations.block]
    begin = np.cumsum(size) - size
    address = (
        begin[invocation] + ports.first[events.site] + events.slot - ports.block_first[invocations.block][invocation]
    )
    newest = np.zeros(int(size.sum()), dtype=np.int32 if len(events) < 2**31 else np.int64)
    newest[address] = np.arange(len(events))
    twice = newest[address] != np.arange(len(events))
    if not twice.any():
        return np.empty(0, dtype=np.int64)
    concerned = np.zeros(len(invocations), dtype=np.bool_)
    concerned[invocation[twice]] = True
    return np.flatnonzero(concerned[invocation])


def _split(invocations: Invocations, invocation: Ints, repeated: Ints, events: Events) -> tuple[Invocations, Ints]:
    """Give every call among the repeated events an invocation of its own."""
    port = mixed(invocation[repeated], events.site[repeated], events.slot[repeated])
    order = np.argsort(port, kind="stable")
    ranks = np.arange(len(order))
    begins = np.flatnonzero(np.diff(port[order], prepend=port[order[:1]] - 1))
    occurrence = np.empty(len(order), dtype=np.int64)
    occurrence[order] = ranks - np.repeat(begins, np.diff(np.append(begins, len(order))))
    later = np.flatnonzero(occurrence)
    keys = mixed(invocation[repeated[later]], occurrence[later])
    _, position, inverse = np.unique(keys, return_index=True, return_inverse=True)
    chosen = later[position]
    source = invocation[repeated[chosen]]
    result = invocation.copy()
    result[repeated[later]] = len(invocations) + inverse
    grown = Invocations(
        execution=np.append(invocations.execution, invocations.execution[source]),
        place=np.append(invocations.place, invocations.place[source]),
        frame=np.append(invocations.frame, invocations.frame[source]),
        iteration=np.append(invocations.iteration, invocations.iteration[source]),
        occurrence=np.append(invocations.occurrence, occurrence[chosen]),
        block=np.append(invocations.block, invocations.block[source]),
        first=invocations.first,
        last=invocations.last,
        run=np.append(invocations.run, invocations.run[source]),
    )
    return with_extent(grown, result), result


def _put_in_place(invocations: Invocations, executions: Executions, places: Places) -> Invocations:
    """Move invocations whose outermost place is not their execution's to where their function is called."""
    graph = np.append(executions.graph, NONE)[invocations.execution]
    root_block = places.column("block")[places.column("root")[invocations.place]]
    strayed = np.flatnonzero((invocations.place != NONE) & (graph != NONE) & (root_block != graph))
    if not len(strayed):
        return invocations
    place = invocations.place.copy()
    groups: dict[tuple[int, int], list[int]] = {}
    for row in strayed.tolist():
        groups.setdefault((int(graph[row]), int(place[row])), []).append(row)
    for (root, number), members in groups.items():
        homes = _homes(places, places.root(root), places.all[number])
        for row in members:
            if homes:
                place[row] = homes[int(invocations.occurrence[row]) % len(homes)]
    return replace(invocations, place=place)


def _homes(places: Places, root: Place, stray: Place) -> list[int]:
    """The places below `root` at which a stray place may stand."""
    chain: list[tuple[int, int]] = []
    top = stray
    while top.parent != NONE:
        chain.append((top.call_site, top.part))
        top = places.all[top.parent]
    homes = []
    for caller in _callers(places, root, top.block):
        home: Place | None = caller
        for call_site, part in reversed(chain):
            home = None if home is None else places.child(home, places.program.sites[call_site], part)
        if home is not None:
            homes.append(home)
    return [home.number for home in homes]


def _callers(places: Places, root: Place, block: int) -> list[Place]:
    """All places below `root` that run `block`."""
    leading = _graphs_leading_to(places.program, block)
    found: list[Place] = []
    open_places = [root]
    seen = 0
    while open_places and seen < _MOST_PLACES:
        place = open_places.pop(0)
        seen += 1
        for site in places.program.sites_of_graph.get(place.block, ()):
            for part, function in enumerate(places.program.called_by(site)):
                if function is None or site.call in (CallKind.NONE, CallKind.OTHER) or function.graph not in leading:
                    continue
                child = places.child(place, site, part)
                if child is not None and child.block == block:
                    found.append(child)
                elif child is not None:
                    open_places.append(child)
    return found


def _graphs_leading_to(program: Program, block: int) -> frozenset[int]:
    """The graphs that call a graph, directly or not, and itself."""
    callers: dict[int, set[int]] = {}
    for site in program.sites.values():
        for function in program.called_by(site):
            if function is not None:
                callers.setdefault(function.graph, set()).add(site.function)
    return reachable([block], [callers])
