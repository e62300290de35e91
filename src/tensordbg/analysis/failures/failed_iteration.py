"""The events of what a failed operation was given; in a loop, those of the turn that failed.

The turns of a loop overlap: what an operation takes may have been computed for later turns already when it fails. A
number of the message says which turn it was, where one turn alone has it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import TraceSource, integers, tensor_pieces
from tensordbg.model import NONE

_NUMBER = re.compile(r"(?<![\w.])-?\d{1,15}(?![\w.]*\w)")
_COLUMNS = ["execution", "site", "slot", "iteration", "size", "min"]
_MOST_ITERATIONS = 100_000

Key = tuple[int, int, int]
"""An execution, a site and a slot."""


@dataclass(frozen=True)
class _Event:
    number: int
    iteration: int
    """The iteration, `NONE` outside of loops."""
    scalar: float | None
    """The number, of a tensor that has only one."""


def events_given(trace: TraceSource, keys: Collection[Key], message: str) -> Mapping[Key, int]:
    """By what was given the event that tells of it: in the turn that failed, else the last."""
    found = _events(trace, keys)
    iteration = _iteration_of(found, {float(number) for number in _NUMBER.findall(message)})
    chosen = {key: [each for each in events if each.iteration == iteration] or events for key, events in found.items()}
    return {key: events[-1].number for key, events in chosen.items()}


def _iteration_of(found: Mapping[Key, list[_Event]], numbers: Collection[float]) -> int:
    """The only turn in which a scalar input has a number of the message, and other turns other numbers."""
    iterations = {
        each.iteration
        for events in found.values() if len({each.scalar for each in events}) > 1
        for each in events if each.iteration != NONE and each.scalar in numbers
    }  # fmt: skip
    return iterations.pop() if len(iterations) == 1 else NONE


def _events(trace: TraceSource, keys: Collection[Key]) -> dict[Key, list[_Event]]:
    """The latest events of each, in the order in which they were recorded."""
    wanted = np.unique([execution for execution, _, _ in keys if execution != NONE])
    found: dict[Key, list[_Event]] = {}
    for rows, table in tensor_pieces(trace, _COLUMNS) if len(wanted) else ():
        execution, site, slot, iteration, size = (integers(table, name, NONE) for name in _COLUMNS[:-1])
        smallest = table.column("min")
        for k in np.flatnonzero(np.isin(execution, wanted)):
            key = (int(execution[k]), int(site[k]), int(slot[k]))
            if key in keys:
                scalar = smallest[int(k)].as_py() if size[k] == 1 else None
                events = found.setdefault(key, [])
                events.append(_Event(rows.start + int(k), int(iteration[k]), scalar))
                del events[:-_MOST_ITERATIONS]
    return found
