"""The values that go into an operation, in the order in which it takes them: which of two is taken off the other."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.program.events import row_of
from tensordbg.model import NONE

_WALKED = 16
"""So many operations that hand on a value are walked through, such as views."""


def operands_of(side: Side, row: int) -> list[int | None]:
    """Gives the rows of what an operation takes, in its order; `None` for what is not compared, such as axes."""
    return [_row(side, event) for event in events_of_operands(side, row)]


def events_of_operands(side: Side, row: int) -> list[int]:
    """Gives the events of what an operation takes, in its order; `NONE` where there is none."""
    return [_event(side, *start) for start in _operands(side, row)]


def written_operand(side: Side, row: int, place: int) -> object:
    """Tells the numbers that a program has written as an operand, such as a shape or axes; `None` if not known.

    Eager ones are small values with their elements, those of a graph stand in it.
    """
    starts = list(_operands(side, row))
    if place >= len(starts):
        return None
    invocation, port = starts[place]
    event = int(side.values.event(*_one(invocation, port))[0])
    if event != NONE:
        elements = side.details.elements(event)
        return None if elements is None else elements.tolist()
    return json.loads(side.program.sites[int(side.values.ports.site[port])].attributes).get("value")


def _operands(side: Side, row: int) -> Iterator[tuple[int, int]]:
    event = int(side.numbers.event[row])
    return _sources(side, int(side.values.invocation[event]), int(side.values.port[event]))


def _row(side: Side, event: int) -> int | None:
    found = int(row_of(side.numbers.event, np.array([event]))[0])
    return None if found == NONE else found


def _event(side: Side, invocation: int, port: int) -> int:
    """The event of a value, or of the one that it is a view of."""
    for _ in range(_WALKED):
        event = int(side.values.event(*_one(invocation, port))[0])
        if event != NONE:
            return event
        before = list(_sources(side, invocation, port))
        if len(before) != 1:
            return NONE
        invocation, port = before[0]
    return NONE


def _sources(side: Side, invocation: int, port: int) -> Iterator[tuple[int, int]]:
    flow = Flow(side.values, side.values.ports.inputs)
    found = flow.sources(*_one(invocation, port))
    yield from zip(found.invocation.tolist(), found.port.tolist(), strict=True)


def _one(invocation: int, port: int) -> tuple[Ints, Ints]:
    return np.array([invocation], dtype=np.int64), np.array([port], dtype=np.int64)


def are_exchanged(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Tells whether two operations take the same values in unlike orders."""
    mine, theirs = _labels(a, row_a), _labels(b, row_b)
    return len(mine) > 1 and mine != theirs and sorted(mine) == sorted(theirs)


def _labels(apart: Apart, row: int) -> list[int]:
    """The labels of the operands of more than one element; none where one is not in both runs."""
    side = apart.side
    whole = [each for each in operands_of(side, row) if each is not None and side.numbers.size[each] > 1]
    labels = [int(apart.label[each]) for each in whole]
    return labels if min(labels, default=-1) >= 0 else []
