"""How far the runs are apart along their data flow: all values that correspond, whether they agree or not.

What agrees has a partner already. Where the runs part the two values are known, and from there on what is made of the
one stands beside what is made of the other: the next of its size and kind. So an error that is made in one place and
carried on, damped or grown, can be followed value by value.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.agreement import Agreement
from tensordbg.analysis.diff.apart import Apart, alike, distance_of
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.matching import FAR, distances
from tensordbg.analysis.diff.numbers import Floats
from tensordbg.analysis.diff.result import PairError
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.diff.steps import Aligned
from tensordbg.model import NONE

MOST = 2000
"""So many pairs are told: half of them at least for what differs, and of what agrees some, evenly."""

_AHEAD = 8
"""So many values behind one are looked at for the counterpart of what is made of its partner."""
_PER_VALUE = 0.05
"""Between two that are about as near, the one that is so many values nearer in the flow is taken."""
_MOST_WALKED = 20_000
"""Pairs that are followed behind a difference."""


@dataclass(frozen=True)
class Known:
    """Pairs that are known already."""

    agreement: Agreement
    aligned: Aligned
    begun: tuple[tuple[int, int], ...]
    """Where a difference is made: rows of A and of B."""
    parted: tuple[tuple[int, int], ...]
    """Where it shows first, which may be at what is made of that."""


def find_error_flow(a: Apart, b: Apart, known: Known) -> tuple[PairError, ...]:
    """Finds the pairs of values that correspond, in the order of B's steps and events."""
    partner = _partners(a, b, known)
    rows_b = np.flatnonzero((partner != NONE) & ~b.constant)
    error = _errors(a.side, b.side, partner[rows_b], rows_b)
    agrees = known.agreement.b[rows_b] | (error <= known.agreement.tolerance)
    chosen = _some(b.side.numbers.step[rows_b], agrees)
    rows_b, error, agrees = rows_b[chosen], error[chosen], agrees[chosen]
    state = _States(b, known)
    told = _Teller(a.side, b.side)
    return tuple(
        told.pair(int(partner[row]), row, far, "equal" if same else state.of(row))
        for row, far, same in zip(rows_b.tolist(), error.tolist(), agrees.tolist(), strict=True)
    )


def _partners(a: Apart, b: Apart, known: Known) -> Ints:
    """For each value of B the row of that of A which corresponds."""
    agreement, aligned = known.agreement, known.aligned
    partner: Ints = np.where(agreement.b, agreement.near_b.row, NONE)
    partner[aligned.b] = aligned.a
    used = set(partner[partner != NONE].tolist())
    shown = [pair for pair in known.parted if a.side.numbers.size[pair[0]] == b.side.numbers.size[pair[1]]]
    waiting = deque((*known.begun, *shown))
    # Where it begins is known best: an operation that one run writes out is compared as a whole there.
    for row_a, row_b in reversed(waiting):
        partner[row_b] = row_a
        used.add(row_a)
    walked = 0
    while waiting and walked < _MOST_WALKED:
        row_a, row_b = waiting.popleft()
        for child in b.followed(row_b):
            if partner[child] != NONE:
                continue
            found = _counterpart(a, b, row_a, child, used)
            if found is not None:
                partner[child] = found
                used.add(found)
                waiting.append((found, child))
                walked += 1
    return partner


def _counterpart(a: Apart, b: Apart, row_a: int, child: int, used: set[int]) -> int | None:
    """The value behind one of A that is most like a value of B: of its size, kind, step and pass."""
    ahead = enumerate(row for row in reached(row_a, a.followed, _AHEAD) if row not in used and row != row_a)
    likely = [
        (distance_of(a, b, row, child) + _PER_VALUE * depth, row)
        for depth, row in ahead
        if alike(a, b, row, child) and _in_one_pass(a.side, b.side, row, child)
    ]
    return min(likely)[1] if likely else None


def _in_one_pass(a: Side, b: Side, row_a: int, row_b: int) -> bool:
    same_step = a.numbers.step[row_a] == b.numbers.step[row_b]
    return bool(same_step and a.backward[row_a] == b.backward[row_b])


def _errors(a: Side, b: Side, rows_a: Ints, rows_b: Ints) -> Floats:
    far = distances(a.numbers.statistics[rows_a], b.numbers.statistics[rows_b], a.numbers.size[rows_a])
    return np.where(a.numbers.size[rows_a] == b.numbers.size[rows_b], far, FAR)


class _States:
    """Whether a difference is made at a value or came in with what it is made of."""

    def __init__(self, b: Apart, known: Known) -> None:
        """Takes the run that is compared; behind the step in which the runs part, all has come in."""
        self._b, self._begun = b, {row for _, row in known.begun}
        self._shown = {row for _, row in known.parted} - self._begun
        steps = b.side.numbers.step
        self._first = min((int(steps[row]) for row in self._begun), default=np.iinfo(np.int64).max)

    def of(self, row: int) -> str:
        """Tells it of a value that does not agree."""
        if row in self._begun:
            return "added"
        came_in = row in self._shown or self._b.side.numbers.step[row] > self._first
        lasting = self._b.regions.lasting
        came_in = came_in or any(each in lasting for each in self._b.side.edges.parents[row])
        return "inherited" if came_in else "added"


def _some(step: Ints, agrees: Bools) -> Ints:
    """The pairs that are told, in the order of steps."""
    order = np.argsort(step, kind="stable")
    if len(order) <= MOST:
        return order
    apart = order[~agrees[order]]
    equal = order[agrees[order]]
    apart = apart[: max(MOST // 2, MOST - len(equal))]
    equal = equal[np.linspace(0, len(equal) - 1, min(MOST - len(apart), len(equal))).astype(np.int64)]
    kept = np.zeros(len(step), dtype=np.bool_)
    kept[apart] = kept[equal] = True
    result: Ints = order[kept[order]]
    return result


class _Teller:
    """Says what is told of pairs; the line of a site is looked up once."""

    def __init__(self, a: Side, b: Side) -> None:
        """Takes the two runs."""
        self._a, self._b = a, b
        self._lines: dict[tuple[bool, int], str] = {}

    def pair(self, row_a: int, row_b: int, error: float, state: str) -> PairError:
        a, b = self._a, self._b
        return PairError(
            step=int(b.numbers.step[row_b]),
            a=_name(a, row_a),
            b=_name(b, row_b),
            line_a=self._line(a, row_a),
            line_b=self._line(b, row_b),
            error=error if error < FAR else None,
            state=state,
            backward=bool(b.backward[row_b]),
            size=int(b.numbers.size[row_b]),
            event_a=int(a.numbers.event[row_a]),
            event_b=int(b.numbers.event[row_b]),
        )

    def _line(self, side: Side, row: int) -> str:
        site = side.site(row)
        key = side is self._a, site.site
        if key not in self._lines:
            line = side.locations.own(side.locations.stack(site.stack))
            self._lines[key] = "" if line is None else line.place
        return self._lines[key]


def _name(side: Side, row: int) -> str:
    return f"{side.site(row).name}:{side.slot(row)}"
