"""Whole numbers that go into an operation, such as labels and indices: they are not compared as values are.

Small ones have their elements in the trace, of others the extremes and sums tell whether they are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.model import NONE

_WALKED = 4
"""So many operations that hand on or shape whole numbers are walked through."""
_MOST = 24
"""So many values that whole numbers are made from are looked at."""
_COLUMNS = ("dtype", "size", "min", "max", "sum", "sum_squares")
_STATISTICS = _COLUMNS[2:]
_KINDS = ("int", "uint")


@dataclass(frozen=True)
class WholeInput:
    """Whole numbers that go into an operation."""

    event: int
    size: int
    statistics: tuple[float | None, ...]
    elements: npt.NDArray[np.int64] | None
    """In their order; None where they were not kept."""


def whole_inputs(apart: Apart, rows: Iterable[int]) -> list[WholeInput]:
    """Finds the whole numbers of more than one element that go into any of some operations."""
    events = dict.fromkeys(event for row in rows for event in _events_into(apart, row))
    return [found for found in (_whole(apart, event) for event in events) if found is not None]


def _whole(apart: Apart, event: int) -> WholeInput | None:
    """The numbers of an event; `None` if they are no whole ones, or only one."""
    (told,) = apart.side.details.columns(np.array([event]), _COLUMNS)
    if not str(told["dtype"]).startswith(_KINDS) or (told["size"] or 0) <= 1:
        return None
    elements = apart.side.details.elements(event)
    kept = None if elements is None else elements.reshape(-1).astype(np.int64)
    return WholeInput(event, told["size"], tuple(told[name] for name in _STATISTICS), kept)


def whole_behind(apart: Apart, row: int) -> list[WholeInput]:
    """Finds the whole numbers that a value is made from, also by way of others, the nearest first."""
    found: dict[int, WholeInput] = {}
    waiting, seen = [int(apart.side.numbers.event[row])], set[int]()
    while waiting and len(seen) < _MOST:
        event = waiting.pop(0)
        if event not in seen:
            seen.add(event)
            waiting += _events_before(apart, event)
            told = _whole(apart, event)
            found |= {} if told is None else {event: told}
    return list(found.values())


def _events_into(apart: Apart, row: int) -> list[int]:
    """The events of the values that go into an operation, the nearest ones that were recorded."""
    return _events_before(apart, int(apart.side.numbers.event[row]))


def _events_before(apart: Apart, event: int) -> list[int]:
    values = apart.side.values
    flow = Flow(values, values.ports.inputs)
    invocation, port = values.invocation[[event]].astype(np.int64), values.port[[event]].astype(np.int64)
    known: list[int] = []
    for _ in range(_WALKED):
        sources = flow.sources(invocation, port)
        events: Ints = values.event(sources.invocation, sources.port)
        known += events[events != NONE].tolist()
        rest = events == NONE
        if not rest.any():
            break
        invocation, port = sources.invocation[rest], sources.port[rest]
    return known


def unlike_whole(a: list[WholeInput], b: list[WholeInput]) -> tuple[WholeInput, WholeInput] | None:
    """Gives the whole numbers of two operations that are not the same: the only ones of their size in each."""
    for mine in a:
        alike = [each for each in a if each.size == mine.size], [each for each in b if each.size == mine.size]
        if not alike[1] or any(_are_equal(one, other) for one in alike[0] for other in alike[1]):
            continue
        return mine, alike[1][0]
    return None


def _are_equal(one: WholeInput, other: WholeInput) -> bool:
    if one.elements is not None and other.elements is not None:
        return bool(np.array_equal(one.elements, other.elements))
    return one.statistics == other.statistics


def whole_text(a: WholeInput, b: WholeInput) -> str:
    """Tells where two are unlike: `[0] is 1 in A and 2 in B, 8 of 8 differ`; empty where elements were not kept."""
    if a.elements is None or b.elements is None:
        return ""
    unequal = np.flatnonzero(a.elements != b.elements)
    first = int(unequal[0])
    return f"[{first}] is {a.elements[first]} in A and {b.elements[first]} in B, {len(unequal)} of {a.size} differ"
