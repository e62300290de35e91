"""Tables of a trace, which the analysis asks for by name. Here they become NumPy arrays.

Only this module knows how a column of a table is turned into an array; the analysis itself works on arrays and on the
dataclasses of `model.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from tensordbg.errors import TraceError
from tensordbg.trace.program.described import is_shape
from tensordbg.trace.program.facts import TraceFacts
from tensordbg.trace.sums.by_step import StepSums
from tensordbg.trace.sums.totals import Sums

Ints = npt.NDArray[np.signedinteger[Any]]
"""Whole numbers: of 64 bits, or of 32 where a column is as long as the trace and its numbers are small."""
Bools = npt.NDArray[np.bool_]

_PIECE = 1 << 20
"""So many rows are read at a time."""


class TraceSource(Protocol):
    """Whatever hands out the tables of `trace/schema.py`: a trace on disk, or one built in a test."""

    @property
    def facts(self) -> TraceFacts:
        """Facts that became known while the program ran."""

    def table(self, name: str, columns: Sequence[str] | None = None) -> Any:
        """One table as a `pyarrow.Table`, with the named columns or all of them."""

    def count(self, name: str) -> int:
        """How many rows a table has."""

    def tensors(self, begin: int, end: int, columns: Sequence[str]) -> Any:
        """Columns of the tensor events from number `begin` up to and without `end`, as a `pyarrow.Table`."""

    def take(self, events: Ints, columns: Sequence[str]) -> Any:
        """Columns of the tensor events with these numbers, in this order, as a `pyarrow.Table`."""


@runtime_checkable
class KeptElements(Protocol):
    """A trace that gives the elements of the tensors whose elements were kept."""

    def value(self, event: int) -> npt.NDArray[Any]:
        """Return the elements of an event; raise `UsageError` where they were not kept."""


@runtime_checkable
class SummedTrace(TraceSource, Protocol):
    """A trace that knows sums over its events, and so needs not be read for them."""

    def sums(self) -> Sums:
        """Return the sums over all events."""

    def step_sums(self) -> StepSums:
        """Return the sums over the events of each step."""

    def events_of(self, sites: Sequence[int], steps: range, columns: Sequence[str]) -> Any:
        """Columns of the tensor events of some sites in some steps, as a `pyarrow.Table`; little else is read."""


def tensor_pieces(trace: TraceSource, columns: Sequence[str]) -> Iterator[tuple[slice, Any]]:
    """Columns of all tensor events, a piece at a time: a table of ten million events is never held as a whole.

    Yields:
        The numbers of a piece's events, and its table.
    """
    count = trace.count("tensors")
    for begin in range(0, count, _PIECE):
        end = min(begin + _PIECE, count)
        yield slice(begin, end), trace.tensors(begin, end, columns)


def integers(table: Any, name: str, missing: int = 0) -> Ints:
    """A column of whole numbers; `missing` stands for null."""
    column = table.column(name)
    if column.null_count:
        column = column.fill_null(missing)
    return np.asarray(column.to_numpy(), dtype=np.int64)


def flat_lists(table: Any, name: str) -> tuple[Ints, Ints]:
    """A column of lists of whole numbers, end to end.

    Returns:
        starts: where each row's list begins; one element more than there are rows.
        values: all elements.
    """
    column = table.column(name).combine_chunks()
    lengths = np.asarray(column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return starts, np.asarray(column.flatten().to_numpy(zero_copy_only=False), dtype=np.int64)


def flat_floats(table: Any, name: str) -> tuple[Ints, npt.NDArray[np.float64]]:
    """A column of lists of floating-point numbers, end to end, as `flat_lists` gives one of whole numbers."""
    column = table.column(name).combine_chunks()
    lengths = np.asarray(column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return starts, np.asarray(column.flatten().to_numpy(zero_copy_only=False), dtype=np.float64)


def byte_strings(table: Any, name: str) -> tuple[Ints, npt.NDArray[np.uint8]]:
    """A column of bytes, end to end; that of a row that has none is empty."""
    column = table.column(name)
    starts, pieces = [np.zeros(1, dtype=np.int64)], [np.empty(0, dtype=np.uint8)]
    for chunk in column.chunks:
        _, ends, data = chunk.buffers()
        if not len(chunk) or data is None:
            starts.append(np.full(len(chunk), starts[-1][-1]))
            continue
        held = np.frombuffer(ends, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1].astype(np.int64)
        starts.append(held[1:] - held[0] + starts[-1][-1])
        pieces.append(np.frombuffer(data, np.uint8)[held[0] : held[-1]])
    return np.concatenate(starts), np.concatenate(pieces)


def shape_of(text: str | None) -> tuple[int, ...] | None:
    """The shape that a text of the column `shape` stands for; None where there is none.

    Raises:
        TraceError: If it stands for none.
    """
    if text is None:
        return None
    if not is_shape(text):
        raise TraceError(f"{text[:80]!r} is no shape of a tensor: the trace is damaged; restore it, or record again")
    return tuple(json.loads(text))


def rows(table: Any) -> list[dict[str, Any]]:
    """A small table as one dictionary per row."""
    result: list[dict[str, Any]] = table.to_pylist()
    return result


def spread_ranges(starts: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """All positions of many ranges, one after the other.

    Returns:
        owner: for each position the number of the range that it belongs to.
        position: `starts[owner]`, `starts[owner] + 1`...
    """
    owner = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - first[owner] + starts[owner]


def floats(table: Any, name: str) -> npt.NDArray[np.float64]:
    """A column of floating-point numbers; NaN stands for null."""
    column = table.column(name)
    if column.null_count:
        column = column.fill_null(math.nan)
    return np.asarray(column.to_numpy(), dtype=np.float64)


def words(table: Any, name: str) -> tuple[Ints, list[str]]:
    """A column of texts, each of which stands in many rows.

    Returns:
        numbers: for each row the position of its text, -1 for null.
        texts: each of them once.
    """
    column = table.column(name).unify_dictionaries().combine_chunks()
    chunks = getattr(column, "chunks", [column])
    if not chunks:
        return np.empty(0, dtype=np.int64), []
    (chunk,) = chunks
    return np.asarray(chunk.indices.fill_null(-1).to_numpy(), dtype=np.int64), chunk.dictionary.to_pylist()
