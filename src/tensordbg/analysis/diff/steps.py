"""How far the values of each step are apart: by operations that correspond, as the first step in which they agree says.

Training is chaotic: two runs that compute the same drift apart by rounding alone, a little more in each step. So from
the second step on, values count as equal where they are not much farther apart than those of the step before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.hashing import Lookup, mixed
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.agreement import Agreement
from tensordbg.analysis.diff.matching import distances
from tensordbg.analysis.diff.numbers import Floats, Numbers
from tensordbg.analysis.diff.result import StepError
from tensordbg.analysis.diff.side import Side
from tensordbg.model import NONE

NEVER = int(np.iinfo(np.int64).max)
"""The step behind all."""
_GROWTH = 10.0
"""In one step rounding makes the distance no more than so many times as large."""
_MOST = 0.1
"""Values that are farther apart are not equal after any number of steps."""
_LONG = 100
"""Rounding alone needs so many steps and more to put two runs that far apart."""
_DRIFTING = 0.7
"""A step of which fewer values are within its bound has parted, and says nothing of drift."""
_KEPT_OTHERWISE = 1e-3
"""Keras keeps the variance of a batch, PyTorch that of a sample: of a thousand values and more, what is evaluated by
the one and the other is no farther apart."""


@dataclass(frozen=True)
class Aligned:
    """Values of both runs that correspond, whether they agree or not."""

    a: Ints
    b: Ints
    step: Ints
    distance: Floats
    tolerance: float
    """How far values of the first step may be apart."""

    @cached_property
    def bounds(self) -> _Bounds:
        """How far those of each step may be."""
        return _Bounds.of(self)


def align(a: Side, b: Side, agreement: Agreement) -> Aligned:
    """Pairs the values that correspond: what agreed in one step is taken together in all others."""
    place_a, place_b = _places(a.numbers), _places(b.numbers)
    known = np.flatnonzero(agreement.b & (b.numbers.step == a.numbers.step[np.maximum(agreement.near_b.row, 0)]))
    keys, position = np.unique(place_b[known], return_index=True)
    other = Lookup.of(keys, place_a[agreement.near_b.row[known[position]]]).find(place_b)
    rows_b = np.flatnonzero(other != NONE)
    wanted = mixed(other[rows_b], b.numbers.step[rows_b])
    rows_a = Lookup.of(mixed(place_a, a.numbers.step)).find(wanted)
    rows_a, rows_b = rows_a[rows_a != NONE], rows_b[rows_a != NONE]
    same = a.numbers.size[rows_a] == b.numbers.size[rows_b]
    rows_a, rows_b = rows_a[same], rows_b[same]
    far = distances(a.numbers.statistics[rows_a], b.numbers.statistics[rows_b], a.numbers.size[rows_a])
    kept = _in_order(b.numbers.site[rows_b], (far > agreement.tolerance) & agreement.b[rows_b])
    return Aligned(rows_a[kept], rows_b[kept], b.numbers.step[rows_b[kept]], far[kept], agreement.tolerance)


def _in_order(site: Ints, misplaced: Bools) -> Bools:
    """Which values are of sites none of whose values agrees with another than the one of its place.

    Where it does, the two programs take turns in another order, or count their steps otherwise.
    """
    result: Bools = ~np.isin(site, np.unique(site[misplaced]))
    return result


def drifted_from(aligned: Aligned) -> int:
    """The step of a long training from which on rounding has put the runs so far apart that they may be unlike.

    It has grown from step to step until then. A row of which nearly all is cut off, say, makes it a thousand times as
    large in one step, and the next is near again; so that numbers alone tell no difference any more. `NEVER` of others.
    """
    bounds = aligned.bounds
    far = bounds.steps[bounds.bound >= _MOST]
    return int(far[0]) if len(far) and far[0] >= _LONG and len(bounds.steps) > 1 else NEVER


def step_errors(aligned: Aligned) -> tuple[StepError, ...]:
    """Tells for each step the median distance of what corresponds."""
    return tuple(StepError(step, float(np.median(distance))) for step, distance in _by_step(aligned))


def _by_step(aligned: Aligned) -> Iterator[tuple[int, Floats]]:
    """The distances of what corresponds in each step, in the order of steps."""
    order = np.argsort(aligned.step, kind="stable")
    steps, starts = np.unique(aligned.step[order], return_index=True)
    yield from zip(steps.tolist(), np.split(aligned.distance[order], starts[1:]), strict=len(steps) > 0)


def with_drift(a: Side, b: Side, agreement: Agreement, aligned: Aligned) -> Agreement:
    """Takes for equal also what is apart by no more than the drift of its step."""
    bounds = aligned.bounds
    kept = aligned.distance <= bounds.of_side(b)[aligned.b]
    near_a, near_b = agreement.near_a, agreement.near_b
    drifts_a = near_a.distance <= np.maximum(bounds.of_side(a), _of_kept(a, b))
    drifts_b = near_b.distance <= np.maximum(bounds.of_side(b), _of_kept(b, a))
    pairs_a = np.concatenate([aligned.a[kept], np.flatnonzero(drifts_a), near_b.row[drifts_b]])
    pairs_b = np.concatenate([aligned.b[kept], near_a.row[drifts_a], np.flatnonzero(drifts_b)])
    new = ~(agreement.a[pairs_a] & agreement.b[pairs_b])
    return agreement.joined(pairs_a[new], pairs_b[new])


def _of_kept(side: Side, other: Side) -> Floats:
    """How far values may be apart for what they are normalized by: running statistics that two frameworks keep."""
    if side.frameworks == other.frameworks or not side.statistics.any():
        return np.zeros(len(side.numbers))
    of_kept = side.edges.spread(side.statistics) & ~side.updates & ~side.backward
    result: Floats = np.where(of_kept, _KEPT_OTHERWISE, 0.0)
    return result


@dataclass(frozen=True)
class _Bounds:
    """How far the values of each step may be apart."""

    steps: Ints
    """Ascending."""
    bound: Floats

    @classmethod
    def of(cls, aligned: Aligned) -> _Bounds:
        """Learns them from the values that correspond."""
        tolerance = aligned.tolerance
        steps, bound, found = np.unique(aligned.step), tolerance, []
        for _, distance in _by_step(aligned):
            found.append(bound)
            sure = distance[distance <= bound]
            if len(sure) >= _DRIFTING * len(distance) and len(sure):
                drift = max(_GROWTH * tolerance, _GROWTH * float(np.quantile(sure, 0.9)))
                bound = max(bound, min(drift, _MOST))
        return cls(np.append(steps, NEVER), np.array([*found, bound]))

    def of_side(self, side: Side) -> Floats:
        """The bound of each value; of steps in between that of the next.

        An evaluation behind a training shows what that hides, as running statistics: it has room for one step more.
        """
        bound = self.bound[np.searchsorted(self.steps, side.time)]
        result: Floats = np.where(side.time > side.numbers.step, np.minimum(_GROWTH * bound, _MOST), bound)
        return result


def _places(numbers: Numbers) -> Ints:
    """For each value a number of its site and of which one it is of that site in its step."""
    key = mixed(numbers.site.astype(np.int64), numbers.step)
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.diff(key[order], prepend=key[order][:1] - 1))
    turn = np.empty(len(key), dtype=np.int64)
    lengths = np.diff(np.append(starts, len(key)))
    turn[order] = np.arange(len(key)) - np.repeat(starts, lengths)
    return mixed(numbers.site.astype(np.int64), turn)
