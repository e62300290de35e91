"""The elements of one tensor over steps and iterations, where they were kept whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.query import sql
from tensordbg.analysis.tensors.show import TensorHistory
from tensordbg.errors import UsageError
from tensordbg.model import Detail
from tensordbg.trace.raw.values import KeptTensor
from tensordbg.trace.reader import TraceReader

Array = npt.NDArray[Any]
Steps = tuple[int | None, int | None]
History = TypeVar("History", bound=TensorHistory)

EVERY_STEP: Steps = (None, None)


@dataclass(frozen=True)
class KeptPoint:
    """An event of a tensor whose elements were kept."""

    point: ListedTensor
    frame: int
    kept: KeptTensor


@dataclass(frozen=True)
class RecordedTensor(TensorHistory):
    """One tensor over time, with its elements at hand."""

    reader: TraceReader = field(repr=False, compare=False)

    def values(self, steps: int | Steps | None = None, iteration: int | None = None) -> Array:
        """The elements of all events, of one step (or of the first to the last of a pair), of one iteration of a loop.

        Returns:
            An array whose first axis is the event, in the order of the program: step after step, iteration after
            iteration. If the events differ in shape or dtype, an array of objects, each of them the array of one event.
            Events whose elements were not kept are left out.

        Raises:
            UsageError: If there is no such event, or no elements were kept.
            TraceError: If the elements can't be read.
        """
        first_last = (steps, steps) if isinstance(steps, int) else (steps or EVERY_STEP)
        chosen = narrowed(self, first_last, iteration)
        return stacked([elements_of(self.reader, point) for point in kept_points(self.reader, chosen)])


def narrowed(history: History, steps: Steps, iteration: int | None) -> History:
    """A tensor's history in some steps and one iteration of a loop.

    Raises:
        UsageError: If it has no event there.
    """
    first, last = steps
    points = tuple(
        point
        for point in history.points
        if (first is None or point.step >= first)
        and (last is None or point.step <= last)
        and (iteration is None or point.iteration == iteration)
    )
    if not points:
        raise UsageError(f"no event of {history.tensor!r} there; it has {_extent(history.points)}")
    return replace(history, points=points, total=len(points), skipped=0)


def shortened(history: History, limit: int) -> History:
    """At most so many events, see `window`."""
    part = window(history.points, limit)
    return replace(history, points=history.points[part], skipped=part.start)


def window(points: Sequence[ListedTensor], limit: int) -> slice:
    """At most so many events: those around the first that is not finite, or else the last ones; 0 means all."""
    total = len(points)
    if not 0 < limit < total:
        return slice(0, total)
    bad = (place for place, point in enumerate(points) if point.health is not None and point.health.non_finite)
    begin = max(0, min(next(bad, total) - limit // 2, total - limit))
    return slice(begin, begin + limit)


def kept_points(reader: TraceReader, history: TensorHistory) -> list[KeptPoint]:
    """The events of a history whose elements were kept, in the order of the program.

    Iterations of a loop that do not wait for each other may have been recorded in another order.

    Raises:
        UsageError: If there are none.
    """
    known = _positions(reader, history.points)
    found = [_kept(point, *known[point.event]) for point in history.points if point.event in known]
    if not found:
        raise UsageError(f"the elements of {history.tensor!r} were not kept: {_why_not(reader)}")
    groups: dict[tuple[int, str, int], list[KeptPoint]] = {}
    for each in found:
        groups.setdefault((each.point.execution, each.point.path, each.frame), []).append(each)
    return [each for group in groups.values() for each in sorted(group, key=lambda each: each.point.iteration or 0)]


def elements_of(reader: TraceReader, point: KeptPoint) -> Array:
    """The elements of one event; the array can't be written.

    Raises:
        TraceError: If they can't be read.
        UsageError: If NumPy lacks their dtype.
    """
    return reader.read_value(point.kept)


def stacked(arrays: Sequence[Array]) -> Array:
    """The arrays along a new first axis; as objects where they differ in shape or dtype."""
    if len({(array.shape, array.dtype) for array in arrays}) == 1:
        return np.stack(arrays)
    result = np.empty(len(arrays), dtype=object)
    for place, array in enumerate(arrays):
        result[place] = array
    return result


def _positions(reader: TraceReader, points: Iterable[ListedTensor]) -> dict[int, tuple[int, int]]:
    """Frame and position of the events that were kept."""
    sites = ", ".join(str(site) for site in sorted({point.site for point in points}))
    if not sites:
        return {}
    query = f"SELECT event, frame, value_position FROM tensors WHERE value_position IS NOT NULL AND site IN ({sites})"
    columns = sql(reader, query).to_pydict()
    rows = zip(columns["event"], columns["frame"], columns["value_position"], strict=True)
    return {event: (frame, position) for event, frame, position in rows}


def _kept(point: ListedTensor, frame: int, position: int) -> KeptPoint:
    return KeptPoint(point, frame, KeptTensor(position, point.dtype, point.shape or (), point.health))


def _why_not(reader: TraceReader) -> str:
    if reader.metadata.detail is not Detail.VALUES:
        return (
            f"the trace has detail {reader.metadata.detail.value!r}, which keeps those of the first bad tensors alone; "
            "record with --detail values"
        )
    return "no option chose them, or the budget was used up; see --values-of and --values-budget of `tdbg run`"


def _extent(points: Sequence[ListedTensor]) -> str:
    """`steps 0 to 9 and iterations 0 to 4`."""
    steps = [point.step for point in points]
    turns = [point.iteration for point in points if point.iteration is not None]
    text = f"steps {min(steps)} to {max(steps)}"
    return f"{text} and iterations {min(turns)} to {max(turns)}" if turns else text
