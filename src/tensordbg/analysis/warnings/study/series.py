"""How each tensor went from step to step: its statistics as columns, one row for each step in which it was computed.

A tensor is one output of one site at one call path; what it was in the iterations of a loop is put together. Of a very
long trace some stretches are read, evenly spaced: the rules ask how things went, and need not see every step for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools, Ints, TraceSource, integers
from tensordbg.model import NONE

Floats = npt.NDArray[np.float64]

FLOATS = frozenset({"bfloat16", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"})

READ_WHOLE = 1 << 20
"""Of a longer trace so many events are read."""

_STRETCHES = 32

ENOUGH_ITERATIONS = 12
"""In a loop of fewer iterations than these nothing is said of how things go."""

_PLACE = ("step", "site", "slot", "path")
_COUNTS = ("size", "zero", "subnormal")
_NUMBERS = ("min", "max", "sum", "sum_squares")
_LOOP = ("frame", "iteration")
_ROWS = ("step", "event", "turns", "size", "zero", "subnormal", "low", "high", "total", "squares", "course")


@dataclass(frozen=True)
class Series:
    """All tensors of floating-point numbers; series k has the rows `starts[k]` to `starts[k + 1]`."""

    site: Ints
    slot: Ints
    path: Ints
    starts: Ints
    """One element more than there are series."""
    step: Ints
    """Of each row; ascending within a series."""
    event: Ints
    """The last event of each row."""
    turns: Ints
    """How many events each row was made of."""
    size: Ints
    """Number of elements, over all iterations, as the further counts and sums are; `NONE` for what was not measured."""
    zero: Ints
    subnormal: Ints
    low: Floats
    """Smallest element; NaN where it was not measured, as in all that follow."""
    high: Floats
    total: Floats
    squares: Floats
    course: Floats
    """Three columns: the largest magnitude in a quarter of the iterations of a loop, in the middle and in the last
    iteration; NaN where there are fewer than `ENOUGH_ITERATIONS`. A loop that ran several times in a step has its last
    run here."""

    def __len__(self) -> int:
        return len(self.site)

    @property
    def lengths(self) -> Ints:
        """In how many steps each tensor was computed."""
        return np.diff(self.starts)

    @property
    def magnitude(self) -> Floats:
        """The largest magnitude of each row."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def rows(self, k: int) -> slice:
        """The rows of one series."""
        return slice(int(self.starts[k]), int(self.starts[k + 1]))

    def means(self, k: int) -> Floats:
        """The mean of each row of one series."""
        rows = self.rows(k)
        found: Floats = self.total[rows] / np.maximum(self.size[rows], 1)
        return found

    def chosen(self, kept: Bools) -> Series:
        """Some of them."""
        row = np.repeat(kept, self.lengths)
        columns = [getattr(self, name)[kept] for name in ("site", "slot", "path")]
        starts = np.concatenate([[0], np.cumsum(self.lengths[kept])])
        rows = {name: getattr(self, name)[row] for name in _ROWS}
        return Series(columns[0], columns[1], columns[2], starts, **rows)

    def without_rows(self, dropped: Bools) -> Series:
        """All but some rows, and but the tensors that have none left."""
        if not dropped.any():
            return self
        left = np.add.reduceat(~dropped, self.starts[:-1], dtype=np.int64)
        columns = [getattr(self, name)[left > 0] for name in ("site", "slot", "path")]
        starts = np.concatenate([[0], np.cumsum(left[left > 0])])
        rows = {name: getattr(self, name)[~dropped] for name in _ROWS}
        return Series(columns[0], columns[1], columns[2], starts, **rows)

    def run(self, flag: Bools) -> Ints:
        """For each series in how many of its last rows, without a break, something holds.

        Args:
            flag: For each row whether it holds.
        """
        last_false = np.where(flag, NONE, np.arange(len(flag)))
        before = np.maximum.reduceat(last_false, self.starts[:-1]) if len(self) else last_false
        result: Ints = self.starts[1:] - np.maximum(before + 1, self.starts[:-1])
        return result


def read_series(trace: TraceSource, end: int, writes: Mapping[int, int] = MappingProxyType({})) -> Series:
    """Read how the tensors of a trace went.

    Args:
        trace: The trace.
        end: The number of the first event that does not count.
        writes: By the site of each write that tells what a variable holds from the next step on, the site that stands
            for the variable.
    """
    pieces = [_piece(table) for table in _stretches(trace, end)]
    place = [np.concatenate([piece[0][k] for piece in pieces]) for k in range(len(_PLACE) + len(_LOOP) + 1)]
    numbers = [np.concatenate([piece[1][k] for piece in pieces]) for k in range(len(_COUNTS) + len(_NUMBERS))]
    if writes:
        place, numbers = _as_read(place, numbers, writes)
    event, step, site, slot, path, frame, iteration = place
    order = np.lexsort((iteration, frame, step, _key(site, slot, path)))
    step, site, slot, path, frame = step[order], site[order], slot[order], path[order], frame[order]
    new_series = np.ones(len(order), dtype=np.bool_)
    new_series[1:] = (np.diff(site) != 0) | (np.diff(slot) != 0) | (np.diff(path) != 0)
    first = np.flatnonzero(new_series | (np.diff(step, prepend=NONE) != 0))
    starts = np.flatnonzero(new_series[first])
    chosen = first[starts]
    last = np.append(first, len(order))[1:] - 1
    size, zero, subnormal, low, high, total, squares = _together(numbers, order, first)
    magnitude = np.fmax(np.abs(numbers[len(_COUNTS)]), np.abs(numbers[len(_COUNTS) + 1]))[order]
    course = _sizes_over_loop(magnitude, frame, first, last)
    return Series(
        site[chosen], slot[chosen], path[chosen], np.append(starts, len(first)), step[first],
        np.maximum.reduceat(event[order], first) if len(first) else first,
        last - first + 1, size, zero, subnormal, low, high, total, squares, course,
    )  # fmt: skip


def _as_read(place: list[Ints], numbers: list[Any], writes: Mapping[int, int]) -> tuple[list[Ints], list[Any]]:
    """Takes what is written to a variable for what the next step reads; of several writes in a step the last counts."""
    event, step, site, slot, path, frame, iteration = place
    stands_for = np.arange(int(site.max(initial=0)) + 1)
    for write, variable in writes.items():
        if write < len(stands_for):
            stands_for[write] = variable
    written = (stands_for[site] != site) & (slot == 0)
    site = np.where(written, stands_for[site], site)
    step = step + written
    mine = np.flatnonzero(np.isin(site, list(set(writes.values()))))
    order = mine[np.lexsort((event[mine], step[mine], site[mine]))]
    again = (np.diff(site[order]) == 0) & (np.diff(step[order]) == 0)
    kept = np.ones(len(site), dtype=np.bool_)
    kept[order[:-1][again]] = False
    return [each[kept] for each in (event, step, site, slot, path, frame, iteration)], [each[kept] for each in numbers]


def _sizes_over_loop(magnitude: Floats, frame: Ints, first: Ints, last: Ints) -> Floats:
    """The size of a tensor in a quarter, the middle and the last of the iterations, of the last run of a loop."""
    result = np.full((len(first), 3), np.nan)
    long = np.flatnonzero(last - first + 1 >= ENOUGH_ITERATIONS)
    if not len(long):
        return result
    begins = np.flatnonzero(np.diff(frame, prepend=frame[0]) != 0)
    before = np.searchsorted(begins, last[long], side="right") - 1
    begin = np.maximum(first[long], begins[before] if len(begins) else 0)
    begin = np.where(before < 0, first[long], begin)
    turns = last[long] - begin
    for column, place in enumerate((begin + turns // 4, begin + turns // 2, last[long])):
        result[long, column] = np.where(turns + 1 >= ENOUGH_ITERATIONS, magnitude[place], np.nan)
    return result


def _stretches(trace: TraceSource, end: int) -> Iterator[Any]:
    columns = ["event", *_PLACE, *_LOOP, "dtype", "first_bad", *_COUNTS, *_NUMBERS]
    if end <= READ_WHOLE:
        yield trace.tensors(0, end, columns)
        return
    for begin in np.linspace(0, end - READ_WHOLE // _STRETCHES, _STRETCHES).astype(int).tolist():
        yield trace.tensors(begin, begin + READ_WHOLE // _STRETCHES, columns)


def _piece(table: Any) -> tuple[list[Ints], list[Any]]:
    """Where and when, and the statistics, of those tensors of a piece that count."""
    wanted = _is_float(table) & (integers(table, "step", NONE) >= 0) & (integers(table, "first_bad", 0) == NONE)
    place = [integers(table, name)[wanted] for name in ("event", *_PLACE, *_LOOP)]
    counts = [integers(table, name, NONE)[wanted] for name in _COUNTS]
    return place, [*counts, *(_floats(table, name)[wanted] for name in _NUMBERS)]


def _is_float(table: Any) -> Bools:
    column = table.column("dtype").combine_chunks()
    if not len(column):
        return np.zeros(0, dtype=np.bool_)
    known = np.array([*(word in FLOATS for word in column.dictionary.to_pylist()), False])
    result: Bools = known[np.asarray(column.indices.fill_null(NONE).to_numpy(zero_copy_only=False))]
    return result


def _floats(table: Any, name: str) -> Floats:
    column = table.column(name)
    return np.asarray(column.fill_null(np.nan).to_numpy(), dtype=np.float64)


def _key(site: Ints, slot: Ints, path: Ints) -> Ints:
    paths, slots = int(path.max(initial=0)) + 1, int(slot.max(initial=0)) + 1
    key: Ints = (site.astype(np.int64) * slots + slot) * paths + path
    return key


def _together(numbers: list[Any], order: Ints, first: Ints) -> list[Any]:
    """The statistics of each row: those of its iterations put together."""
    if len(first) == len(order):
        return [column[order] for column in numbers]
    size, zero, subnormal, low, high, total, squares = (column[order] for column in numbers)
    return [
        *(np.add.reduceat(column, first) for column in (size, zero, subnormal)),
        np.fmin.reduceat(low, first),
        np.fmax.reduceat(high, first),
        *(np.add.reduceat(column, first) for column in (total, squares)),
    ]
