"""Columns of all tensor events as arrays: what the page searches, sorts and counts in, kept while they are in use.

A column of ten million small numbers takes 40 MB; those that were used last are kept, up to a sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools, Ints, TraceSource, floats, integers, tensor_pieces, words
from tensordbg.analysis.view.caching import Recent
from tensordbg.model import NONE, SOMEWHERE

Array = npt.NDArray[Any]

_MOST_BYTES = 800_000_000
_WIDE = frozenset({"time_ns", "frame", "thread", "value_position", "size"})
"""Columns whose numbers may need 64 bits."""
_NULL = -9
_COUNTED = ("neg_inf", "pos_inf", "nan")


@dataclass(frozen=True)
class Words:
    """A column of texts of which there are few."""

    code: Ints
    """For each event the position of its text in `texts`, `NONE` where it has none."""
    texts: tuple[str, ...]


_LEAST, _LARGEST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


class Columns:
    """The columns of one opened trace."""

    def __init__(self, opened: TraceSource) -> None:
        """Nothing is read yet."""
        self._opened = opened
        self._known: Recent[str, Any] = Recent(_MOST_BYTES, _bytes)

    def whole(self, name: str) -> Ints:
        """A column of whole numbers; -1 stands for null, as far as a count can't be negative."""
        found: Ints = self._known.get(name, partial(self._whole, name))
        return found

    def real(self, name: str) -> npt.NDArray[np.float64]:
        """A column of floating-point numbers; NaN stands for null too."""
        found: npt.NDArray[np.float64] = self._known.get(
            f"real {name}", lambda: self._filled(np.dtype(np.float64), [name], lambda table: floats(table, name))
        )
        return found

    def words(self, name: str) -> Words:
        """A column of texts."""
        found: Words = self._known.get(name, partial(self._words, name))
        return found

    def non_finite(self) -> Ints:
        """How many elements are not finite; 1 where only that there are some is known, -1 where nothing is."""
        found: Ints = self._known.get("non-finite", lambda: self._narrow([*_COUNTED, "first_bad"], _non_finite))
        return found

    def bad(self) -> Bools:
        """Whether any element is not finite."""
        found: Bools = self._known.get("bad", lambda: self.non_finite() > 0)
        return found

    def _whole(self, name: str) -> Ints:
        read = partial(integers, name=name, missing=NONE)
        return self._filled(np.dtype(np.int64), [name], read) if name in _WIDE else self._narrow([name], read)

    def _narrow(self, names: list[str], read: Callable[[Any], Array]) -> Array:
        """A column of 32 bits, if all numbers fit."""
        try:
            return self._filled(np.dtype(np.int32), names, read)
        except OverflowError:
            return self._filled(np.dtype(np.int64), names, read)

    def _filled(self, dtype: np.dtype[Any], names: list[str], read: Callable[[Any], Array]) -> Array:
        column = np.empty(self._opened.count("tensors"), dtype=dtype)
        for rows, table in tensor_pieces(self._opened, names):
            piece = read(table)
            if dtype == np.int32 and len(piece) and not _LEAST <= piece.min() <= piece.max() <= _LARGEST:
                raise OverflowError
            column[rows] = piece
        return column

    def _words(self, name: str) -> Words:
        texts: dict[str, int] = {}
        code = np.empty(self._opened.count("tensors"), dtype=np.int32)
        for rows, table in tensor_pieces(self._opened, [name]):
            numbers, known = words(table, name)
            renumbered = np.array([*(texts.setdefault(text, len(texts)) for text in known), NONE], dtype=np.int32)
            code[rows] = renumbered[numbers]
        return Words(code, tuple(texts))


class EventColumns(Protocol):
    """A trace whose events are at hand as columns."""

    @property
    def event_count(self) -> int:
        """How many tensor events there are."""

    @property
    def columns(self) -> Columns:
        """Columns of all events."""


def _bytes(column: Array | Words) -> int:
    return column.code.nbytes if isinstance(column, Words) else column.nbytes


def _non_finite(table: Any) -> Ints:
    counts = [integers(table, name, NONE) for name in _COUNTED]
    first_bad = integers(table, "first_bad", _NULL)
    said = np.select([first_bad == NONE, first_bad == SOMEWHERE], [0, 1], NONE)
    return np.where(np.min(counts, axis=0) >= 0, np.sum(counts, axis=0), said)
