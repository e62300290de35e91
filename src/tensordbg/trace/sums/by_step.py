"""Sums for each of a run's steps: how many tensors there were, how many were bad, and how large each kind was.

They stand in `sealed.json`, so that the steps of a thousand processes are drawn beside each other without reading their
events. There are never more than `MOST` entries: where more are needed, each comes to stand for twice as many steps.

Sizes are logarithms of root mean squares as whole numbers: one enormous tensor does not hide all others, and sums do
not depend on the order in which tensors came.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.model import NONE

MOST = 256
"""So many entries at most."""

KINDS = ("loss", "gradients", "weights", "values")
"""Kinds of tensors whose sizes are told apart: what is differentiated, what a backward pass computes, what trained
variables hold, and all others."""

OCTAVE = 1000
"""By so much a size grows where values become twice as large."""

_COUNTS = ("events", "measured", "bad", *(f"{kind}_tensors" for kind in KINDS))
_SIZES = tuple(f"{kind}_size" for kind in KINDS)
_FIRSTS = ("first_event", "first_bad")
COLUMNS = (*_COUNTS, *_SIZES, *_FIRSTS)
"""Numbers of each entry: sums, and the first event and the first bad one, `NONE` where there is none."""

_MOST_STRIDE = 2**62
_MOST_NUMBER = 2**53
_NEVER = 2**62

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class StepSums:
    """Entry k is of the steps from `stride` times k on, up to the next."""

    stride: int = 1
    columns: Mapping[str, array[int]] = field(default_factory=lambda: {name: _numbers(()) for name in COLUMNS})
    """By the names of `COLUMNS`, all of one length; arrays, since those of a thousand processes are held at a time."""

    def __len__(self) -> int:
        return len(self.columns["events"])

    def with_events(self, events: StepEvents) -> StepSums:
        """These with more events; those that belong to no step are left out."""
        inside = events.step >= 0
        if not inside.any():
            return self
        highest = int(events.step[inside].max())
        coarse = self
        while highest // coarse.stride >= MOST:
            coarse = _stored(coarse.stride * 2, coarse.arrays(coarse.stride * 2))
        entry = events.step[inside] // coarse.stride
        length = max(len(coarse), int(entry.max()) + 1)
        added = events.summed(inside, entry, length)
        known = coarse.arrays(coarse.stride, length)
        return _stored(coarse.stride, {name: _joined(name, known[name], added[name]) for name in COLUMNS})

    def arrays(self, stride: int, length: int = 0) -> dict[str, Ints]:
        """The columns with entries of so many steps, a multiple of what they are; at least so many entries."""
        together = stride // self.stride
        own = -(-len(self) // together)
        result = {}
        for name in COLUMNS:
            result[name] = np.full(max(own, length), NONE if name in _FIRSTS else 0, dtype=np.int64)
            result[name][:own] = _merged(name, np.array(self.columns[name], dtype=np.int64), together)
        return result

    def to_json(self) -> dict[str, Any]:
        """The object that stands for it in `sealed.json`."""
        return {"stride": self.stride, **{name: list(self.columns[name]) for name in COLUMNS}}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> StepSums:
        """The reverse of `to_json`.

        Raises:
            LookupError, OverflowError, TypeError, ValueError: If it is none.
        """
        found = cls(int(row["stride"]), {name: _numbers(map(int, row[name])) for name in COLUMNS})
        power = found.stride > 0 and found.stride & (found.stride - 1) == 0 and found.stride <= _MOST_STRIDE
        lengths = {len(column) for column in found.columns.values()}
        numbers = all(abs(number) < _MOST_NUMBER for column in found.columns.values() for number in column)
        whole = all(number >= 0 for name in _COUNTS for number in found.columns[name])
        if not (power and len(lengths) == 1 and max(lengths) <= MOST and numbers and whole):
            raise ValueError("no sums of steps")
        return found


@dataclass(frozen=True)
class StepEvents:
    """Tensor events as columns."""

    step: Ints
    event: Ints
    kind: Ints
    """Position in `KINDS`."""
    size: Ints
    """A thousand times the binary logarithm of its root mean square; `NO_SIZE` where it has none."""
    measured: npt.NDArray[np.bool_]
    bad: npt.NDArray[np.bool_]

    def summed(self, inside: npt.NDArray[np.bool_], entry: Ints, length: int) -> dict[str, Ints]:
        """The columns of so many entries; of the events only those inside count, whose entries are given."""
        kind, size, event = self.kind[inside], self.size[inside], self.event[inside]
        measured, bad = self.measured[inside], self.bad[inside]
        columns = {
            "events": np.bincount(entry, minlength=length),
            "measured": np.bincount(entry[measured], minlength=length),
            "bad": np.bincount(entry[bad], minlength=length),
            "first_event": _firsts(entry, event, length),
            "first_bad": _firsts(entry[bad], event[bad], length),
        }
        for number, name in enumerate(KINDS):
            chosen = (kind == number) & (size != NO_SIZE)
            columns[f"{name}_tensors"] = np.bincount(entry[chosen], minlength=length)
            # Whole numbers of this size are exact as floats.
            columns[f"{name}_size"] = np.bincount(entry[chosen], weights=size[chosen], minlength=length)
        return {name: column.astype(np.int64) for name, column in columns.items()}


NO_SIZE = np.iinfo(np.int64).min
"""Stands for the size of a tensor that is not measured, bad, empty or all zeros."""


def size_of(squares: npt.NDArray[np.float64], elements: Ints) -> Ints:
    """The size of tensors of which the sum of squares and the number of elements are known."""
    known = np.isfinite(squares) & (squares > 0) & (elements > 0)
    result = np.full(len(squares), NO_SIZE, dtype=np.int64)
    result[known] = np.rint(OCTAVE / 2 * np.log2(squares[known] / elements[known]))
    return result


def _merged(name: str, column: Ints, together: int) -> Ints:
    """A column with fewer entries, each of several."""
    starts = np.arange(0, len(column), together)
    if not len(column) or together == 1:
        return column
    if name not in _FIRSTS:
        sums: Ints = np.add.reduceat(column, starts)
        return sums
    least = np.minimum.reduceat(np.where(column == NONE, _NEVER, column), starts)
    return np.where(least == _NEVER, NONE, least)


def _firsts(entry: Ints, event: Ints, length: int) -> Ints:
    least = np.full(length, _NEVER, dtype=np.int64)
    np.minimum.at(least, entry, event)
    return np.where(least == _NEVER, NONE, least)


def _joined(name: str, known: Ints, added: Ints) -> Ints:
    if name not in _FIRSTS:
        return known + added
    either = np.where(known == NONE, added, known)
    return np.where((known == NONE) | (added == NONE), either, np.minimum(known, added))


def _stored(stride: int, columns: Mapping[str, Ints]) -> StepSums:
    return StepSums(stride, {name: _numbers(columns[name].tolist()) for name in COLUMNS})


def _numbers(numbers: Iterable[int]) -> array[int]:
    return array("q", numbers)
