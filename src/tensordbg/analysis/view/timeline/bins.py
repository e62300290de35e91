"""Many executions counted together, in bins of equal time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.model import NONE


@dataclass(frozen=True)
class Spans:
    """Some executions of a lane as columns, by their begin."""

    row: Ints
    begin_ns: Ints
    end_ns: Ints
    events: Ints
    bad: Ints
    eager: Bools

    def where(self, kept: Bools | Ints) -> Spans:
        """Some of them."""
        return Spans(
            self.row[kept],
            self.begin_ns[kept],
            self.end_ns[kept],
            self.events[kept],
            self.bad[kept],
            self.eager[kept],
        )


@dataclass(frozen=True)
class TimeBins:
    """Bins as columns; those in which nothing ran are left out."""

    begin_ns: Ints
    end_ns: Ints
    functions: Ints
    """How many calls of functions began in it; one that began before the range counts in the first."""
    eager: Ints
    events: Ints
    bad: Ints
    """How many of the executions have a tensor that is not finite."""
    busy: npt.NDArray[np.float64]
    """Share of the time in which a function ran."""
    first_bad: Ints
    """Row of the first such execution, `NONE` where there is none."""


def fill_bins(spans: Spans, edges: Ints) -> TimeBins:
    """Counts executions in bins.

    Args:
        spans: Executions by their begin, all at least partly between the first and the last edge.
        edges: Where the bins begin, and the end of the last; ascending.
    """
    count = len(edges) - 1
    place = np.clip(np.searchsorted(edges, spans.begin_ns, side="right") - 1, 0, count - 1)
    bad = spans.bad > 0
    first_bad = np.full(count, NONE, dtype=np.int64)
    first_bad[place[bad][::-1]] = spans.row[bad][::-1]  # the last assignment of a bin counts
    functions = np.bincount(place[~spans.eager], minlength=count)
    eager = np.bincount(place[spans.eager], minlength=count)
    ran = spans.where(~spans.eager)
    busy = np.diff(_time_before(edges, ran.begin_ns, np.maximum(ran.end_ns, ran.begin_ns)))
    shares = np.clip(busy / np.maximum(np.diff(edges), 1), 0.0, 1.0)
    told = np.flatnonzero((functions + eager > 0) | (shares > 0))
    return TimeBins(
        begin_ns=edges[told],
        end_ns=edges[told + 1],
        functions=functions[told],
        eager=eager[told],
        events=np.bincount(place, weights=spans.events, minlength=count).astype(np.int64)[told],
        bad=np.bincount(place[bad], minlength=count)[told],
        busy=shares[told],
        first_bad=first_bad[told],
    )


def _time_before(moments: Ints, begin: Ints, end: Ints) -> npt.NDArray[np.float64]:
    """For each moment how long all that ran had run before it, together."""
    return _elapsed(moments, begin) - _elapsed(moments, np.sort(end))


def _elapsed(moments: Ints, since: Ints) -> npt.NDArray[np.float64]:
    """For each moment the sum of the times since those that lie before it."""
    zero = moments[0]
    total = np.concatenate([[0], np.cumsum((since - zero).astype(np.float64))])
    before = np.searchsorted(since, moments)
    elapsed: npt.NDArray[np.float64] = before * (moments - zero).astype(np.float64) - total[before]
    return elapsed
