"""Invocations of which no event tells, but which write variables: a function that only applies given gradients."""

from __future__ import annotations

from collections import deque

import numpy as np

from tensordbg.analysis.flow.invocations import Invocations
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import writes_variables
from tensordbg.analysis.program.places import Place, Places
from tensordbg.model import CallKind, Site
from tensordbg.trace.program.calls import reachable

_DEEPEST = 64
"""Calls are not followed deeper than this: a function that calls itself has no end."""


def add_writers_without_events(invocations: Invocations, places: Places) -> Invocations:
    """Add the invocations of called functions that write variables, or call ones that do.

    Only of plain calls, which always run; whether a branch ran is not known without an event.
    """
    writing = _writing_graphs(places.program)
    open_places = deque(sorted(places.all, key=lambda place: place.depth))
    while open_places:
        place = open_places.popleft()
        for site in _plain_calls(places.program, place):
            function = places.program.called_by(site)[0]
            if function is None or function.graph not in writing:
                continue
            known = len(places.all)
            child = places.child(place, site, 0)
            if child is None:
                continue
            callers = np.flatnonzero((invocations.place == place.number) & (invocations.occurrence == 0))
            number = np.full(len(callers), child.number, dtype=np.int64)
            columns = (number, invocations.frame[callers], invocations.iteration[callers])
            invocations = invocations.with_rows(callers, columns, places)
            if child.number == known and child.depth < _DEEPEST:
                open_places.append(child)
    return invocations


def _plain_calls(program: Program, place: Place) -> list[Site]:
    sites = program.sites_of_graph.get(place.block, ())
    return [site for site in sites if site.call is CallKind.CALL and site.called]


def _writing_graphs(program: Program) -> frozenset[int]:
    """Graphs that write variables, and those that call them."""
    writing = {site.function for site in program.sites.values() if writes_variables(site)}
    callers: dict[int, set[int]] = {}
    for site in program.sites.values():
        for function in program.called_by(site) if site.call is CallKind.CALL else ():
            if function is not None:
                callers.setdefault(function.graph, set()).add(site.function)
    return reachable(writing, [callers])
