"""Iterations of all loops around the events of some rows: that of the innermost loop alone comes again and again.

Only the executions of these rows are looked at, and only in programs that have loops in loops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import row_of
from tensordbg.analysis.tensors.nested_iterations import iterations_in
from tensordbg.analysis.view.records.event_ranges import RecordedExecutions, events_of
from tensordbg.model import NONE, CallKind

_MOST_LEVELS = 64
"""So deep in calls and loops nobody writes; a function that calls itself would have no end."""


class LoopedTrace(RecordedExecutions, Protocol):
    """A trace of which iterations are asked."""

    @property
    def program(self) -> Program:
        """The description of the program."""

    @property
    def in_several_loops(self) -> frozenset[int]:
        """The sites of functions that loops run which lie in loops."""

    def take(self, events: Ints, columns: Sequence[str]) -> Any:
        """See `TraceSource`."""


def iterations_of_events(opened: LoopedTrace, events: Sequence[int] | Ints) -> dict[int, tuple[int, ...]]:
    """Finds by event the iterations of all loops around it, outermost first, where it lies in several."""
    if not opened.in_several_loops:
        return {}
    wanted = np.asarray(events, dtype=np.int64)
    looping = opened.columns.whole("iteration")[wanted] != NONE
    inner = wanted[looping & np.isin(opened.columns.whole("site")[wanted], list(opened.in_several_loops))]
    numbers = np.unique(opened.columns.whole("execution")[inner])
    rows = [row for row in row_of(opened.executions.number, numbers).tolist() if row != NONE]
    if not rows:
        return {}
    own = np.sort(np.concatenate([events_of(opened, row) for row in rows]))
    return iterations_in(opened, opened.program, opened.executions, own, inner.tolist())


def sites_in_several_loops(program: Program) -> frozenset[int]:
    """Finds the sites of the functions that loops run which lie in loops themselves."""
    functions = _functions_in_several_loops(program)
    return frozenset(site.site for site in program.sites.values() if site.function in functions)


def _functions_in_several_loops(program: Program) -> frozenset[int]:
    """Finds the functions that loops run which lie in loops themselves, also by way of calls and branches."""
    depth: dict[int, int] = dict.fromkeys(program.functions, 0)
    for _ in range(_MOST_LEVELS):
        found = {graph: _depth(program, graph, depth) for graph in depth}
        if found == depth:
            break
        depth = found
    return frozenset(graph for graph, loops in depth.items() if loops > 1)


def _depth(program: Program, graph: int, depth: Mapping[int, int]) -> int:
    """In how many loops a function is run, as far as it is known in how many those are that call it."""
    holder = program.holders.get(graph)
    callers = program.calls_of.get(graph, ()) if holder is None else (holder,)
    return max((depth.get(site.function, 0) + (site.call is CallKind.WHILE) for site in callers), default=0)
