"""The events of what a failed operation was given; in a loop, those of the turn that failed.

A function that a dataset calls for element after element is a loop too, and each of its calls a turn. The turns
overlap: what an operation takes may have been computed for later turns already when it fails. A number of the message
says which turn it was, where one turn alone has it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tensordbg.analysis.columns.reading import TraceSource, integers, tensor_pieces
from tensordbg.model import NONE

_NUMBER = re.compile(r"(?<![\w.])-?\d{1,15}(?![\w.]*\w)")
_RANGE = re.compile(r"\[-?\d{1,15}, ?-?\d{1,15}\)")
_COLUMNS = ["execution", "site", "slot", "run", "frame", "iteration", "size", "min"]
_MOST_ITERATIONS = 100_000

Key = tuple[int, int, int]
"""An execution, a site and a slot."""

Turn = tuple[int, int]
"""The frame of a loop, and its iteration."""

_OUTSIDE = (NONE, NONE)
"""What is computed outside of loops."""

_CALLS = NONE - 1
"""Stands for the frame where the turns are calls of a function, by their runs."""


@dataclass(frozen=True)
class _Event:
    number: int
    turn: Turn
    scalar: float | None
    """The number, of a tensor that has only one."""


def events_of_inputs(trace: TraceSource, keys: Collection[Key], message: str) -> Mapping[Key, int]:
    """By what was given the event that tells of it: in the turn that failed, else the last.

    Nothing is told of what was made in that turn too, if only other turns of the same loop recorded it.
    """
    found = {key: _without_lone_call(events) for key, events in _events(trace, keys).items()}
    turn = _iteration_of(found, numbers_of(message))
    chosen = {key: [each for each in events if each.turn == turn] or events for key, events in found.items()}
    return {key: events[-1].number for key, events in chosen.items() if not _is_of_another(events[-1].turn, turn)}


def numbers_of(message: str) -> set[float]:
    """The whole numbers in a message, without the ends of what would have been right: `[0, 4)`."""
    return {float(number) for number in _NUMBER.findall(_RANGE.sub("", message))}


def _iteration_of(found: Mapping[Key, list[_Event]], numbers: Collection[float]) -> Turn:
    """The only turn in which a scalar input has a number of the message, and other turns other numbers."""
    turns = {
        each.turn
        for events in found.values() if len({each.scalar for each in events}) > 1
        for each in events if each.turn != _OUTSIDE and each.scalar in numbers
    }  # fmt: skip
    return turns.pop() if len({iteration for _, iteration in turns}) == 1 else _OUTSIDE


def _without_lone_call(events: list[_Event]) -> list[_Event]:
    """The events with turns only where there are several: one call alone is no turn of a loop."""
    several = len({each.turn for each in events if each.turn[0] == _CALLS}) > 1
    return [each if several or each.turn[0] != _CALLS else replace(each, turn=_OUTSIDE) for each in events]


def _is_of_another(turn: Turn, failed: Turn) -> bool:
    """Whether a turn is another one of the same loop."""
    return _OUTSIDE not in (turn, failed) and turn[0] == failed[0] and turn[1] != failed[1]


def _events(trace: TraceSource, keys: Collection[Key]) -> dict[Key, list[_Event]]:
    """The latest events of each, in the order in which they were recorded."""
    wanted = np.unique([execution for execution, _, _ in keys if execution != NONE])
    found: dict[Key, list[_Event]] = {}
    for rows, table in tensor_pieces(trace, _COLUMNS) if len(wanted) else ():
        execution, site, slot, run, frame, iteration, size = (integers(table, name, NONE) for name in _COLUMNS[:-1])
        smallest = table.column("min")
        for k in np.flatnonzero(np.isin(execution, wanted)):
            key = (int(execution[k]), int(site[k]), int(slot[k]))
            if key in keys:
                scalar = smallest[int(k)].as_py() if size[k] == 1 else None
                events = found.setdefault(key, [])
                called = (_CALLS, int(run[k]))
                turn = called if iteration[k] == NONE else (int(frame[k]), int(iteration[k]))
                events.append(_Event(rows.start + int(k), turn, scalar))
                del events[:-_MOST_ITERATIONS]
    return found
