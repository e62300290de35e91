"""Statistics of some tensors as columns, for conditions; of few of them without reading all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Ints, floats, integers
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.model import NONE, SOMEWHERE

Reals = npt.NDArray[np.float64]

_FEW = 8
"""Of fewer events than one in so many, only those are read."""
_NULL = -9
_COUNTS = frozenset({"size", "zero", "negative", "positive", "subnormal", "neg_inf", "pos_inf", "nan"})
_REALS = frozenset({"min", "max", "sum", "sum_squares"})
_PLACES = frozenset({"step", "iteration", "event"})


class MeasuredEvents(EventColumns, Protocol):
    """A trace of which some rows can be read without all others."""

    def take(self, events: Ints, columns: Sequence[str]) -> Any:
        """See `TraceSource`."""


class Measured:
    """The statistics of some tensors; where one is not known, there is a NaN."""

    def __init__(self, opened: MeasuredEvents, events: Ints) -> None:
        """Nothing is read yet.

        Args:
            opened: The trace.
            events: Their numbers.
        """
        self._opened = opened
        self._events = events
        self._few = len(events) * _FEW < opened.event_count

    def get(self, name: str) -> Reals:
        """One statistic of each; the name is one of `STATISTICS`."""
        return STATISTICS[name](self)

    def site(self) -> Ints:
        """The site of each."""
        return self._whole("site")

    def slot(self) -> Ints:
        """Which output of its operation each is."""
        return self._whole("slot")

    def stored(self, name: str) -> Reals:
        """A column of the trace."""
        if name == "event":
            return self._events.astype(np.float64)
        if name in _REALS:
            if self._few:
                return floats(self._opened.take(self._events, [name]), name)
            return self._opened.columns.real(name)[self._events]
        numbers = self._whole(name)
        return np.where(numbers == NONE, np.nan, numbers)

    def non_finite(self) -> Reals:
        """How many elements are not finite; 1 where only that there are some is known."""
        if not self._few:
            found = self._opened.columns.non_finite()[self._events]
            return np.where(found < 0, np.nan, found)
        counted = self.stored("nan") + self.stored("neg_inf") + self.stored("pos_inf")
        first = integers(self._opened.take(self._events, ["first_bad"]), "first_bad", _NULL)
        said = np.where(first == SOMEWHERE, 1.0, np.where(first == NONE, 0.0, np.nan))
        return np.where(np.isnan(counted), said, counted)

    def finite(self) -> Reals:
        """How many elements are finite, NaN where there is none."""
        found = self.stored("size") - self.non_finite()
        return np.where(found > 0, found, np.nan)

    def _whole(self, name: str) -> Ints:
        if self._few:
            return integers(self._opened.take(self._events, [name]), name, NONE)
        found: Ints = self._opened.columns.whole(name)[self._events]
        return found


def _std(measured: Measured) -> Reals:
    mean = measured.stored("sum") / measured.finite()
    variance = measured.stored("sum_squares") / measured.finite() - mean * mean
    variance = np.where(np.isnan(variance) & ~np.isnan(mean), np.inf, variance)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _largest(measured: Measured) -> Reals:
    return np.asarray(np.fmax(np.abs(measured.stored("min")), np.abs(measured.stored("max"))))


def _column(name: str) -> Callable[[Measured], Reals]:
    return lambda measured: measured.stored(name)


STATISTICS: Mapping[str, Callable[[Measured], Reals]] = {
    **{name: _column(name) for name in (*sorted(_REALS), *sorted(_COUNTS), *sorted(_PLACES))},
    "mean": lambda measured: measured.stored("sum") / measured.finite(),
    "std": _std,
    "abs_max": _largest,
    "inf": lambda measured: measured.stored("neg_inf") + measured.stored("pos_inf"),
    "non_finite": lambda measured: measured.non_finite(),
    "finite": lambda measured: measured.stored("size") - measured.non_finite(),
    "turn": _column("iteration"),  # as it was called before
}
"""By name; counts are numbers of elements, `step`, `iteration` and `event` say when it was."""

FLAGS = ("nan", "inf", "neg_inf", "pos_inf", "non_finite", "zero", "negative", "positive", "subnormal")
"""Counts that may stand alone: `loss : nan` says that there is one at least."""
