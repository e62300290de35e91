"""Finds the execution that caused each event of a graph, of which the runtime tells only its own step id.

The first event of a step id belongs to the function execution that is open at that moment and whose function, or one
that it calls, has the event's site: the one begun last, if there are several; one that has no step id yet goes first.
A step id is forgotten when its execution has ended and four segments have not named it. Events of no execution get
execution -1, such as those of an input pipeline's own functions. Those run for each element under a step id of its
own, several at once, also in a pipeline that a function makes: these runs are numbered in the column `run`, and the
analysis keeps them apart as it does executions (`Invocations.owner`).

An eager operation is recorded once it has run: it has a beginning and no end, and `end_ns` is its `begin_ns`. An
event of an eager tensor names its execution, and follows on that of the execution's beginning, in the same thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.model import NONE
from tensordbg.trace.program.calls import CallGraph

Ints = npt.NDArray[np.int64]

KEPT_SEGMENTS = 4
"""A step id that was not seen for so many segments, and whose execution has ended, is forgotten."""

KEPT_RUNS = 10_000
"""So many runs of pipelines' functions are remembered for longer, those that began last."""

OWN_RUN = 0
"""The run that an execution is; those of pipelines' functions are numbered from 1."""

BEGINNING: tuple[Any, ...] = ((), (), 0)
"""What is remembered where nothing was read yet."""

_BEGIN, _END, _FIRST = range(3)


@dataclass(frozen=True)
class Calls:
    """The beginnings of function executions in one segment, as columns."""

    position: Ints
    execution: Ints
    function: Ints
    step: Ints


@dataclass(frozen=True)
class Marks:
    """Where something happens in one segment, and with what number: the ends of executions, events with a step id."""

    position: Ints
    number: Ints


@dataclass(frozen=True)
class _Cause:
    """What a step id belongs to."""

    execution: int
    step: int
    seen: int
    """The last segment that has it."""
    run: int = OWN_RUN


@dataclass(frozen=True)
class Joined:
    """The steps that the events of a segment belong to."""

    execution: Ints
    step: Ints
    """Of the execution."""
    run: Ints
    """Which run of a pipeline's function, or `OWN_RUN`."""


class StepJoin:
    """Goes through the segments in order and remembers what later ones need."""

    def __init__(self, calls: CallGraph, state: Sequence[Any] = BEGINNING) -> None:
        """Begins, or goes on from what `state()` gave."""
        self._calls = calls
        causes, running, runs = state
        self._causes = {step_id: _Cause(*rest) for step_id, *rest in causes}
        self._open: dict[int, tuple[int, int]] = {execution: (function, step) for execution, function, step in running}
        """Function executions that have not ended, with their function and step."""
        self._runs = int(runs)
        """How many runs of pipelines' functions there were."""

    def state(self) -> list[Any]:
        """The state, for JSON."""
        causes = [[step_id, each.execution, each.step, each.seen, each.run] for step_id, each in self._causes.items()]
        return [causes, [[execution, *rest] for execution, rest in self._open.items()], self._runs]

    def join(self, segment: int, begins: Calls, ends: Marks, events: Marks, sites: Ints) -> Joined:
        """Goes through one segment.

        Args:
            segment: Its number.
            begins: The function executions that begin in it.
            ends: Of executions of any kind.
            events: Those that have a step id, which is their number.
            sites: Of those events.
        """
        step_ids, first, inverse = np.unique(events.number, return_index=True, return_inverse=True)
        new = np.array([step_id not in self._causes for step_id in step_ids.tolist()], dtype=bool)
        first = first[new]
        self._replay(segment, begins, self._of_functions(ends, begins), _firsts(events, sites, first))
        causes = [self._causes[step_id] for step_id in step_ids.tolist()]
        self._forget(segment, step_ids.tolist())
        execution = np.array([cause.execution for cause in causes], dtype=np.int64)
        step = np.array([cause.step for cause in causes], dtype=np.int64)
        run = np.array([cause.run for cause in causes], dtype=np.int64)
        return Joined(execution[inverse], step[inverse], run[inverse])

    def _of_functions(self, ends: Marks, begins: Calls) -> Marks:
        """Without the ends of eager operations, which would only slow the loop down."""
        running = np.fromiter(self._open, dtype=np.int64, count=len(self._open))
        wanted = np.isin(ends.number, np.concatenate([running, begins.execution]))
        return Marks(ends.position[wanted], ends.number[wanted])

    def _replay(self, segment: int, begins: Calls, ends: Marks, firsts: tuple[Marks, Ints]) -> None:
        """Everything that matters, in the order in which it was recorded."""
        stepped = {cause.execution for cause in self._causes.values() if cause.run == OWN_RUN}
        for kind, number, one, two in _in_order(begins, ends, firsts):
            if kind == _BEGIN:
                self._open[number] = (one, two)
            elif kind == _END:
                self._open.pop(number, None)
            else:
                execution, run = self._cause_of(one, stepped)
                if run == OWN_RUN:
                    stepped.add(execution)
                step = self._open.get(execution, (NONE, NONE))[1]
                self._causes[number] = _Cause(execution, step, segment, run)

    def _cause_of(self, site: int, stepped: set[int]) -> tuple[int, int]:
        """The open execution that has the site, and the run: of the execution itself, else of a pipeline's function."""
        graph = self._calls.graph_of(site)
        own = self._able(self._calls.direct, graph)
        piped = self._able(self._calls.piped, graph)
        fresh = [number for number in own if number not in stepped]
        if fresh or (own and not piped):
            return max(fresh or own), OWN_RUN
        self._runs += 1
        return max(piped, default=NONE), self._runs

    def _able(self, graphs: Callable[[int], frozenset[int]], graph: int) -> list[int]:
        """The open executions among whose graphs is one."""
        return [number for number, (function, _) in self._open.items() if graph in graphs(function)]

    def _forget(self, segment: int, seen: list[int]) -> None:
        for step_id in seen:
            cause = self._causes[step_id]
            self._causes[step_id] = replace(cause, seen=segment)
        older: list[tuple[int, int]] = []
        kept = {}
        for step_id, cause in self._causes.items():
            if cause.seen > segment - KEPT_SEGMENTS or (cause.run == OWN_RUN and cause.execution in self._open):
                kept[step_id] = cause
            elif cause.run != OWN_RUN:
                older.append((cause.run, step_id))
        kept.update((step_id, self._causes[step_id]) for _, step_id in sorted(older)[-KEPT_RUNS:])
        self._causes = kept


def _firsts(events: Marks, sites: Ints, first: Ints) -> tuple[Marks, Ints]:
    return Marks(events.position[first], events.number[first]), sites[first]


def _in_order(begins: Calls, ends: Marks, firsts: tuple[Marks, Ints]) -> list[tuple[int, int, int, int]]:
    """Kind, number and two more values of each, by position."""
    marks, sites = firsts
    position = np.concatenate([begins.position, ends.position, marks.position])
    none = np.zeros(len(ends.position) + len(sites), dtype=np.int64)
    columns = [
        np.repeat([_BEGIN, _END, _FIRST], [len(begins.position), len(ends.position), len(sites)]),
        np.concatenate([begins.execution, ends.number, marks.number]),
        np.concatenate([begins.function, none[: len(ends.position)], sites]),
        np.concatenate([begins.step, none]),
    ]
    order = np.argsort(position, kind="stable")
    return list(zip(*(column[order].tolist() for column in columns), strict=True))
