"""Last values of a run that are not compared: whole numbers, as the places of maxima are, or a copied part of a view.

They are results all the same: where one run ends with them and the other with what they are made of, or both make
unlike ones of equal values, the runs are not the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair, distance_of
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.diff.wording import Explained, of_rows, place_of
from tensordbg.analysis.finding import TensorView
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.program.events import row_of
from tensordbg.model import NONE, Health

_ROUNDS = 64
"""So many operations without a compared value are walked through from the last value on."""
_LOOKED_AT = 64
"""So many events are looked at, the last ones."""
_BOOLEAN = "bool"
_FLOATS = ("float", "bfloat", "complex", "half")
_UNLIKE = 0.02
"""So far apart, beside the largest of them, are whole numbers of which not only a few are others, for rounding."""


@dataclass(frozen=True)
class _Last:
    """The value with which a run ends."""

    view: TensorView
    made_of: tuple[int, ...]
    """Rows of the compared values that it was made of; its own where it is one of them."""
    compared: bool


def uncompared_ends(a: Apart, b: Apart) -> Iterator[tuple[Pair, Explained]]:
    """Pairs what the last values of two runs are made of, where these are not compared and not the same."""
    if not (a.side.to_the_end and b.side.to_the_end):
        return
    ends = _last(a.side), _last(b.side)
    if ends[0] is None or ends[1] is None:
        return
    made = a.side.edges.made, b.side.edges.made
    met = [
        (row_a, row_b) for row_a in ends[0].made_of for row_b in ends[1].made_of
        if a.label[row_a] == b.label[row_b] >= 0 and made[0][row_a] and made[1][row_b]
    ]  # fmt: skip
    if not met or (ends[0].compared and ends[1].compared):
        return
    if ends[0].compared or ends[1].compared:
        both = Both(b, a, turned=True) if ends[0].compared else Both(a, b)
        yield _goes_on(both, ends[1] if both.turned else ends[0], met[0])
    elif _are_unlike(ends[0].view, ends[1].view):
        yield _unlike(a, b, (ends[0].view, ends[1].view), met[0])


def _last(side: Side) -> _Last | None:
    """The value that a run computes last; None where that is learned, or tells nothing.

    A graph is given its arguments in any order, so some of the last events may tell of no result.
    """
    count = len(side.values.events)
    for event in range(count - 1, max(count - 1 - _LOOKED_AT, -1), -1):
        rows = row_of(side.numbers.event, np.array([event]))
        if rows[0] != NONE:
            row = int(rows[0])
            if not side.edges.made[row] or side.edges.children[row]:
                continue
            learned = bool(side.backward[row] or side.kept[row])
            return None if learned else _Last(side.details.views([event])[event], (row,), True)
        found = _uncompared(side, event)
        if found is not None:
            learned = any(side.backward[row] or side.kept[row] for row in found.made_of)
            return None if learned else found
    return None


def _uncompared(side: Side, event: int) -> _Last | None:
    """A value that is not compared, if it is made of one that is, and tells more than whether that is sound."""
    view = side.details.views([event])[event]
    beside = view.slot > 0  # as the places are that a sorting gives besides
    if beside or view.health is None or (view.dtype == _BOOLEAN and view.health.size == 1):
        return None
    rows = _made_of(side, event)
    handed_on = tuple(row for row in rows if int(side.numbers.size[row]) == view.health.size)
    if view.dtype.startswith(_FLOATS) and handed_on:
        return _Last(view, handed_on, True)
    return _Last(view, rows, False) if rows else None


def _made_of(side: Side, event: int) -> tuple[int, ...]:
    """The compared values that a value was made of."""
    values = side.values
    flow, found = Flow(values, values.ports.carrying), dict[int, None]()
    invocation, port = (column[[event]].astype(np.int64) for column in (values.invocation, values.port))
    for _ in range(_ROUNDS):
        step = flow.sources(invocation, port)
        if not len(step.of):
            break
        event_at = values.event(step.invocation, step.port)
        row = row_of(side.numbers.event, event_at)
        found |= dict.fromkeys(row[row != NONE].tolist())
        rest = np.unique(np.stack([step.invocation[row == NONE], step.port[row == NONE]]), axis=1)
        invocation, port = rest[0], rest[1]
    return tuple(found)


def _are_unlike(a: TensorView, b: TensorView) -> bool:
    if a.health is None or b.health is None:
        return False
    if a.health.size != b.health.size:
        return True
    figures = zip(_figures(a.health), _figures(b.health), strict=True)
    return any(abs(one - other) > _UNLIKE * max(abs(one), abs(other)) for one, other in figures)


def _figures(health: Health) -> tuple[float, ...]:
    return health.min, health.max, health.sum, health.sum_squares, float(health.zero)


def _goes_on(both: Both, last: _Last, met: tuple[int, int]) -> tuple[Pair, Explained]:
    run, rest = "BA" if both.turned else "AB"
    pair = Pair(*met, FAR)
    text = f"the result of {rest} is one that {run} goes on from, to {_named(both.mine.side, last.view)}"
    suggestion = f"compute the same in {rest}, or leave it out in {run}; record with both what you mean to compare"
    return pair, of_rows(pair, "missing", text, suggestion)


def _unlike(a: Apart, b: Apart, views: tuple[TensorView, TensorView], met: tuple[int, int]) -> tuple[Pair, Explained]:
    names = _named(a.side, views[0]), _named(b.side, views[1])
    text = f"the runs end with unlike results that are made of equal values: {names[0]} in A, {names[1]} in B"
    pair = Pair(*met, distance_of(a, b, *met))
    suggestion = "compare the two lines: another axis, the smallest for the largest, another limit or rounding"
    return pair, Explained("value", *met, FAR, True, (), text, suggestion)


def _named(side: Side, view: TensorView) -> str:
    """Names a value that is not compared: `aten::argmax:0, int64[6] of sum 21 (model.py:7)`."""
    line = side.own_line(side.program.sites[view.site])
    shape = ", ".join(map(str, view.shape or ()))
    total = f" of sum {view.health.sum:g}" if view.health is not None else ""
    place = "" if line is None else f" ({place_of(line)})"
    return f"{view.tensor}, {view.dtype}[{shape}]{total}{place}"
