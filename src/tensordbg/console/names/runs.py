"""The runs that a trace holds, and which tensors are looked at: those of a run, of several, or all.

A run is one call from Python into the program's numbers. Without a program that counts them they are numbered from 1
as the trace holds them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints, integers
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.analysis.view.records.event_ranges import RecordedExecutions, events_of
from tensordbg.errors import UsageError
from tensordbg.model import NONE

_RANGE = re.compile(r"(\d+)|(\d*)\.\.(\d*)")


class CalledRuns(RecordedExecutions, Protocol):
    """A trace that knows what was called in its runs."""

    @property
    def program(self) -> Program:
        """The description of the program."""

    def table(self, name: str, columns: Sequence[str] | None = None) -> Any:
        """See `TraceSource`."""


@dataclass(frozen=True)
class Runs:
    """The runs of a trace."""

    numbers: Ints
    """Of each run, ascending."""
    rows: Ints
    """Of each the row of its execution."""

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def extent(self) -> str:
        """`1 to 20`, in words."""
        if not len(self):
            return "none"
        return str(self.numbers[0]) if len(self) == 1 else f"{self.numbers[0]} to {self.numbers[-1]}"

    def row(self, number: int) -> int:
        """The row of the execution of a run.

        Raises:
            UsageError: If the trace holds no such run.
        """
        place = int(np.searchsorted(self.numbers, number))
        if place >= len(self) or self.numbers[place] != number:
            raise UsageError(f"no run {number} is in the trace; the runs that were recorded are {self.extent}")
        return int(self.rows[place])


@dataclass(frozen=True)
class Scope:
    """The tensors that are looked at."""

    events: Ints | None
    """Their numbers, ascending; None for all of the trace."""
    runs: tuple[int, ...]
    """The numbers of the runs that they belong to, where some were chosen."""
    text: str
    """What it is, in words: `run 3`."""
    chosen: str = ""
    """As `-x` has it."""
    near: int = NONE
    """The event in context, of which the page that is shown tells: of several events of a tensor that of its execution
    is meant."""

    def size(self, opened: EventColumns) -> int:
        """How many tensors there are."""
        return opened.event_count if self.events is None else len(self.events)

    def numbers(self, opened: EventColumns) -> Ints:
        """The numbers of the tensors."""
        return np.arange(opened.event_count) if self.events is None else self.events

    def narrow(self, events: Ints) -> Ints:
        """Narrows events, ascending, down to those in the scope."""
        if self.events is None:
            return events
        found: Ints = np.intersect1d(events, self.events, assume_unique=True)
        return found


EVERYTHING = Scope(None, (), "the trace", "all")


def find_runs(opened: CalledRuns, executions: Mapping[int, int] | None = None) -> Runs:
    """The runs of a trace.

    Args:
        opened: The trace.
        executions: By the number of a run its execution, where the program counts them.
    """
    if executions is None:
        # The executions as a whole take longer to read, and not every command needs them.
        rows = np.flatnonzero(integers(opened.table("executions", ["function"]), "function", NONE) != NONE)
        return Runs(np.arange(1, len(rows) + 1), rows)
    numbers = np.array(sorted(executions), dtype=np.int64)
    wanted = np.array([executions[number] for number in numbers.tolist()], dtype=np.int64)
    place = np.searchsorted(opened.executions.number, wanted)
    known = place < len(opened.executions)
    known[known] = opened.executions.number[place[known]] == wanted[known]
    return Runs(numbers[known], place[known])


def scope_of(opened: RecordedExecutions, runs: Runs, chosen: str) -> Scope:
    """The tensors that `-x` chooses: `3`, `3..7`, `last`, or `all`.

    Raises:
        UsageError: If it is not understood, or there is no such run.
    """
    if chosen == "all":
        return EVERYTHING
    if chosen == "last":
        if not len(runs):
            raise UsageError("the trace holds no run yet; `-x all` looks at everything in it")
        return scope_of_run(opened, runs, int(runs.numbers[-1]))
    match = _RANGE.fullmatch(chosen)
    if match is None:
        raise UsageError(f"{chosen!r} is no run; write a number such as 3, a range such as 3..7, `last`, or `all`")
    if match[1]:
        return scope_of_run(opened, runs, int(match[1]))
    first, last = int(match[2] or 0), int(match[3]) if match[3] else int(runs.numbers.max(initial=0))
    within = np.flatnonzero((runs.numbers >= first) & (runs.numbers <= last))
    if not len(within):
        raise UsageError(f"no run {chosen} is in the trace; the runs that were recorded are {runs.extent}")
    numbers = opened.executions.number[runs.rows[within]]
    events = np.flatnonzero(np.isin(opened.columns.whole("execution"), numbers))
    return Scope(events, tuple(runs.numbers[within].tolist()), f"runs {chosen}", chosen)


def scope_of_run(opened: RecordedExecutions, runs: Runs, number: int) -> Scope:
    """The tensors of one run.

    Raises:
        UsageError: If there is no such run.
    """
    return Scope(events_of(opened, runs.row(number)), (number,), f"run {number}", str(number))


def scope_since(opened: RecordedExecutions, runs: Runs) -> Scope:
    """The tensors of the last run, and of all that ran later; all where there is no run."""
    if not len(runs):
        return EVERYTHING
    begun = int(opened.executions.number[runs.rows[-1]])
    return scope_from(opened, begun, f"run {runs.numbers[-1]} and of what ran since")


def scope_from(opened: EventColumns, execution: int, text: str) -> Scope:
    """The tensors of an execution and of all that began later, under these words."""
    return Scope(np.flatnonzero(opened.columns.whole("execution") >= execution), (), text)
