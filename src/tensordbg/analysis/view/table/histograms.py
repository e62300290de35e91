"""How the elements of a tensor are spread, step by step: a histogram of each event whose elements were kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.view.records.iterations import iterations_of_events
from tensordbg.analysis.view.table.callers import callers_of
from tensordbg.analysis.view.table.history import NamedTensors, evenly, events_named
from tensordbg.model import NONE
from tensordbg.trace.raw.strings import DTYPE

BINS = 48
MOST_ELEMENTS = 1 << 24
"""Of all events together: they are read in a second."""
_COLUMNS = ("event", "step", "iteration", "dtype", "size", "min", "max")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Histogram:
    """The elements of one event."""

    event: int
    step: int
    iteration: int | None
    iterations: tuple[int, ...]
    """In loops of one another those of all of them, the outermost first; else empty."""
    caller: int
    """Who had it computed: a position in `callers`."""
    counts: tuple[int, ...]
    """Finite elements, bin by bin."""


@dataclass(frozen=True)
class Histograms:
    """Those of a tensor, with the same bins."""

    tensor: str
    kept: int
    """Of how many events the elements were kept; `histograms` may be fewer."""
    edges: tuple[float, ...]
    """Of the bins, one more than there are; empty where no element is finite."""
    histograms: tuple[Histogram, ...]
    callers: tuple[str, ...]


class KeptTensors(NamedTensors, Protocol):
    """A trace that holds elements of named tensors."""

    def value(self, event: int) -> Any:
        """The elements of an event as an array."""


def read_histograms(opened: KeptTensors, tensor: str, function: str, most: int, logarithmic: bool) -> Histograms:
    """The histograms of one tensor, of at most so many events, evenly chosen.

    Args:
        opened: The trace.
        tensor: Any name that `naming` knows.
        function: Only in functions of this name; empty for all.
        most: How many histograms, at least 2.
        logarithmic: Whether bins far from zero are wider.

    Raises:
        AbsentError: If the trace has no such tensor.
        TraceError: If elements can't be read.
    """
    found = events_named(opened, tensor, function)
    kept = found.events[opened.columns.whole("value_position")[found.events] != NONE]
    rows = opened.take(evenly(kept, most), _COLUMNS).to_pylist()
    rows = _within_budget([row for row in rows if row["dtype"] != DTYPE])
    elements = [_finite(opened.value(row["event"])) for row in rows]
    edges = edges_of(elements, logarithmic)
    events = np.asarray([row["event"] for row in rows], dtype=np.int64)
    callers, iterations = callers_of(opened, events), iterations_of_events(opened, events)
    return Histograms(
        tensor=found.tensor,
        kept=len(kept),
        edges=tuple(edges.tolist()),
        histograms=tuple(
            Histogram(
                row["event"],
                row["step"],
                row["iteration"],
                iterations.get(row["event"], ()),
                caller,
                _counts(numbers, edges),
            )
            for row, numbers, caller in zip(rows, elements, callers.of.tolist(), strict=True)
        ),
        callers=callers.titles,
    )


def edges_of(elements: list[Floats], logarithmic: bool) -> Floats:
    """The edges of bins that hold all of these; none where there is nothing."""
    ends = [end for numbers in elements if numbers.size for end in (numbers.min(), numbers.max())]
    if not ends:
        return np.empty(0)
    low, high = float(min(ends)), float(max(ends))
    if low == high:
        return np.array([low, np.nextafter(high, np.inf)])
    if logarithmic and low > 0:
        edges = np.geomspace(low, high, BINS + 1)
    elif logarithmic:
        # Linear around zero up to the smallest magnitude that there is, but for what is nothing beside the largest.
        smallest = [np.abs(numbers[numbers != 0]).min() for numbers in elements if numbers.any()]
        small = max(min(smallest), 1e-6 * max(-low, high))
        edges = small * np.sinh(np.linspace(np.arcsinh(low / small), np.arcsinh(high / small), BINS + 1))
    else:
        edges = 2 * np.linspace(low / 2, high / 2, BINS + 1)  # the whole range may be beyond a double
    edges[[0, -1]] = low, high
    return np.unique(np.clip(edges, low, high))


def _within_budget(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of which all elements can be read, fewer of large tensors, the first and the last among them."""
    largest = max((row["size"] or 0 for row in rows), default=0)
    fitting = max(1, MOST_ELEMENTS // max(1, largest))
    return [rows[place] for place in evenly(np.arange(len(rows)), fitting).tolist()]


def _finite(array: npt.NDArray[Any]) -> Floats:
    """The finite elements; of complex numbers the modulus, as health has it."""
    numbers = np.abs(array) if array.dtype.kind == "c" else array
    flat = numbers.astype(np.float64).ravel()
    return flat[np.isfinite(flat)]


def _counts(numbers: Floats, edges: Floats) -> tuple[int, ...]:
    return tuple(np.histogram(numbers, edges)[0].tolist()) if edges.size else ()
