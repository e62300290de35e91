"""The elements of an array as lines: made row by row as they are looked at, with the line of each element known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.tensors.intervals import Interval, inside
from tensordbg.console.pages.element_format import ElementFormat
from tensordbg.console.pages.page import Line, Span
from tensordbg.errors import UsageError

Array = npt.NDArray[Any]

EDGE = 3
"""So many elements are shown at each end of an axis where some are left out."""

_WIDTH = 88


@dataclass(frozen=True)
class ElementLines:
    """All elements, in brackets as NumPy writes them."""

    array: Array
    format: ElementFormat
    intervals: tuple[Interval, ...] = ()
    """Elements in these are highlighted."""
    shortened: bool = False
    """Whether only `EDGE` elements at each end of an axis are shown."""

    def __len__(self) -> int:
        return self._rows * self._lines_of_row

    def part(self, begin: int, end: int) -> Sequence[Line]:
        """See `Lines`."""
        return [self._line(number) for number in range(begin, min(end, len(self)))]

    def line_of(self, index: tuple[int, ...]) -> int:
        """The line in which an element stands.

        Raises:
            UsageError: If there is no such element, or it is left out.
        """
        shape = self.array.shape
        if len(index) != len(shape):
            raise UsageError(f"the element {list(index)} needs {len(shape)} numbers, as the shape is {list(shape)}")
        places = []
        for number, extent, shown in zip(index, shape, self._shown, strict=True):
            place = number + extent if number < 0 else number
            if not 0 <= place < extent:
                raise UsageError(f"no element {list(index)} is there; the shape is {list(shape)}")
            if place not in shown:
                raise UsageError(f"the element {list(index)} is left out; `-a` shows all")
            places.append(shown.index(place))
        if not places:
            return 0
        row = 0
        for place, axis in zip(places[:-1], self._shown[:-1], strict=True):
            row = row * len(axis) + place
        return row * self._lines_of_row + places[-1] // self._per_line

    def find_odd(self, pattern: re.Pattern[str], begin: int) -> int | None:
        """The first line from one on with a NaN or an infinity whose name a pattern fits; no line is made for it.

        All elements must be shown.
        """
        if self.array.dtype.kind not in "fc":
            return None
        row, piece = divmod(begin, self._lines_of_row)
        first = row * self.array.shape[-1] + piece * self._per_line if self.array.ndim else 0
        rest = self.array.reshape(-1)[first:]
        fits = np.zeros(len(rest), dtype=np.bool_)
        for name, test in (("nan", np.isnan), ("inf", np.isposinf), ("-inf", np.isneginf)):
            if pattern.search(name):
                fits |= test(rest) if self.array.dtype.kind == "f" else test(rest.real) | test(rest.imag)
        found = np.flatnonzero(fits)
        if not len(found):
            return None
        return self.line_of(tuple(int(each) for each in np.unravel_index(first + int(found[0]), self.array.shape)))

    @cached_property
    def _shown(self) -> tuple[Sequence[int], ...]:
        """For each axis the places that are shown."""
        return tuple(
            [*range(EDGE), *range(extent - EDGE, extent)] if self.shortened and extent > 2 * EDGE else range(extent)
            for extent in self.array.shape
        )

    @cached_property
    def _rows(self) -> int:
        return int(np.prod([len(axis) for axis in self._shown[:-1]], dtype=np.int64)) if self.array.size else 1

    @cached_property
    def _per_line(self) -> int:
        return max(1, (_WIDTH - 2 * self.array.ndim) // (self.format.width + 2))

    @cached_property
    def _lines_of_row(self) -> int:
        columns = len(self._shown[-1]) if self.array.size and self.array.ndim else 1
        return -(-columns // self._per_line)

    def _line(self, number: int) -> Line:
        if not self.array.size:
            return (Span("[" * self.array.ndim + "]" * self.array.ndim),)
        if not self.array.ndim:
            return (self._span(self.array[()]),)
        row, piece = divmod(number, self._lines_of_row)
        index = self._index(row)
        columns = self._shown[-1]
        chosen = columns[piece * self._per_line : (piece + 1) * self._per_line]
        spans = [Span(self._opening(row, piece))]
        for column in chosen:
            if self._has_gap and column == columns[EDGE]:
                spans.append(Span("..., ", "dim"))
            spans.append(self._span(self.array[index][column]))
            spans.append(Span(", " if column != columns[-1] else ""))
        spans.append(Span(self._closing(row, piece)))
        return tuple(span for span in spans if span.text)

    def _span(self, element: Any) -> Span:
        marked = bool(self.intervals) and bool(inside(np.asarray(element), self.intervals).any())
        bad = self.array.dtype.kind in "fc" and not np.isfinite(element)
        return Span(self.format.text(_plain(element)), "highlight" if marked else "bad" if bad else "")

    def _index(self, row: int) -> tuple[int, ...]:
        places: list[int] = []
        for axis in reversed(self._shown[:-1]):
            row, place = divmod(row, len(axis))
            places.append(axis[place])
        return tuple(reversed(places))

    @cached_property
    def _has_gap(self) -> bool:
        """Whether some elements of each row are left out."""
        return self.shortened and self.array.shape[-1] > 2 * EDGE

    def _ends(self, row: int) -> int:
        """How many brackets close behind a row: one, and one for each axis that ends with it."""
        count = 1
        for axis in reversed(self._shown[:-1]):
            row, place = divmod(row, len(axis))
            if place != len(axis) - 1:
                break
            count += 1
        return count

    def _opening(self, row: int, piece: int) -> str:
        dimensions = self.array.ndim
        opened = dimensions if row == 0 else self._ends(row - 1)
        brackets = 0 if piece else opened
        return " " * (dimensions - brackets) + "[" * brackets

    def _closing(self, row: int, piece: int) -> str:
        if piece != self._lines_of_row - 1:
            return ""
        last = row == self._rows - 1
        closing = "]" * self._ends(row) + ("" if last else ",")
        if not last and self.shortened:
            index, following = self._index(row), self._index(row + 1)
            jump = [axis for axis, (a, b) in enumerate(zip(index, following, strict=True)) if b - a > 1]
            closing += " ..." if jump else ""
        return closing


def _plain(element: Any) -> Any:
    """A number of Python; other elements as they are."""
    return element.item() if isinstance(element, np.generic) else element
