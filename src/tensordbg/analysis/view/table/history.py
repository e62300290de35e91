"""One tensor over steps and iterations: all its events, thinned out where there are too many to draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, shape_of
from tensordbg.analysis.names.listing import split_slot
from tensordbg.analysis.names.naming import Named, nearest
from tensordbg.analysis.program.call_results import Calls, TensorsInCalls
from tensordbg.analysis.program.details import health_of
from tensordbg.analysis.view.records.iterations import LoopedTrace, iterations_of_events
from tensordbg.analysis.view.records.sites import NamedEvents
from tensordbg.analysis.view.search.language import Text
from tensordbg.analysis.view.search.matching import equal_to
from tensordbg.analysis.view.table.callers import Called, callers_of
from tensordbg.errors import AbsentError
from tensordbg.model import NONE, Health, TensorRef

_COLUMNS = (
    "event", "step", "iteration", "shape", "value_position", "size", "negative", "zero", "positive", "neg_inf",
    "pos_inf", "nan", "subnormal", "first_bad", "min", "max", "sum", "sum_squares",
)  # fmt: skip


@dataclass(frozen=True)
class HistoryPoint:
    """One event of a tensor."""

    event: int
    step: int
    iteration: int | None
    health: Health | None
    shape: tuple[int, ...] | None
    kept: bool
    """Whether its elements were kept."""
    caller: int
    """Who had it computed: a position in `callers`."""
    iterations: tuple[int, ...] = ()
    """In loops of one another the iterations of all of them, the outermost first."""


@dataclass(frozen=True)
class ThinnedHistory:
    """A tensor over time."""

    tensor: str
    function: str
    """Empty where several functions have it, and none was chosen."""
    total: int
    """How many events it has; `points` may be fewer."""
    points: tuple[HistoryPoint, ...]
    callers: tuple[str, ...]
    """Functions called from Python, each with steps of its own; empty the name of code outside of all functions."""


@dataclass(frozen=True)
class TensorEvents:
    """All events of one tensor."""

    tensor: str
    """Its name and slot in full."""
    function: str
    """Empty where several functions have it, and none was chosen."""
    events: Ints
    """Ascending."""


class NamedTensors(NamedEvents, Called, LoopedTrace, Protocol):
    """A trace whose tensors are found by any name."""

    @property
    def recorded(self) -> frozenset[TensorRef]:
        """The tensors of which events tell."""

    def named(self, typed: str) -> Named:
        """Resolves a name, see `naming`."""

    def take(self, events: Ints, columns: Sequence[str]) -> Any:
        """See `TraceSource`."""


def thinned_history(opened: NamedTensors, tensor: str, function: str, points: int) -> ThinnedHistory:
    """The events of one tensor, at most so many: those that are not finite are left out last.

    Args:
        opened: The trace.
        tensor: Any name that `naming` knows, with `:` and the slot, which is 0 by default.
        function: Only in functions of this name, or fitting this pattern; empty for all.
        points: How many may be told, at least 2.

    Raises:
        AbsentError: If the trace has no such tensor.
    """
    found = events_named(opened, tensor, function)
    events = found.events
    shown = events[thin(opened.columns.bad()[events], points)]
    rows = opened.take(shown, _COLUMNS).to_pylist()
    callers = callers_of(opened, shown)
    iterations = iterations_of_events(opened, shown)
    return ThinnedHistory(
        tensor=found.tensor,
        function=found.function,
        total=len(events),
        points=tuple(
            HistoryPoint(
                event=row["event"],
                step=row["step"],
                iteration=row["iteration"],
                health=health_of(row),
                shape=shape_of(row["shape"]),
                kept=row["value_position"] is not None,
                caller=caller,
                iterations=iterations.get(row["event"], ()),
            )
            for row, caller in zip(rows, callers.of.tolist(), strict=True)
        ),
        callers=callers.titles,
    )


def events_named(opened: NamedTensors, tensor: str, function: str) -> TensorEvents:
    """The events of the tensor that a name means, see `thinned_history`.

    Raises:
        AbsentError: If the trace has no such tensor.
    """
    found = opened.named(tensor)
    name, slot = split_slot(tensor)
    whole = found.name or f"{name}:{slot or 0}"
    wanted = equal_to(Text(function))
    chosen = [
        ref for ref in found.tensors
        if not function or wanted(opened.site(ref.site).function) or wanted(opened.site(ref.site).given_function)
    ]  # fmt: skip
    if chosen and not found.name:
        raise AbsentError(found.choices(tensor))
    events = events_of(opened, chosen, found.calls)
    if not len(events):
        raise AbsentError(_unknown(opened, whole, function))
    functions = {opened.site(number).function for number in np.unique(opened.columns.whole("site")[events]).tolist()}
    return TensorEvents(whole, functions.pop() if len(functions) == 1 else function, events)


def thin(bad: Bools, most: int) -> Ints:
    """Which of many points are shown: the first and the last, those that are bad, and of the rest evenly many.

    Where the bad ones alone are too many they are thinned out too, but for the first.
    """
    count = len(bad)
    if count <= most:
        return np.arange(count)
    needed = np.union1d(np.flatnonzero(bad), [0, count - 1])
    if len(needed) >= most:
        firsts = np.union1d(np.flatnonzero(bad)[:1], [0, count - 1])
        return np.union1d(firsts, evenly(needed, most - len(firsts)))
    rest = np.setdiff1d(np.arange(count), needed, assume_unique=True)
    return np.union1d(needed, evenly(rest, most - len(needed)))


def evenly(places: Ints, count: int) -> Ints:
    """At most so many of some places, the first and the last among them."""
    return places[np.unique(np.linspace(0, len(places) - 1, max(count, 0)).astype(np.int64))]


def events_of(opened: NamedTensors, tensors: list[TensorRef], calls: TensorsInCalls) -> Ints:
    """The events of some tensors, ascending; of those that are meant in some calls only, the events of these."""
    table = np.zeros(opened.site_limit, dtype=np.bool_)
    table[[ref.site for ref in tensors]] = True
    found = np.flatnonzero(table[opened.columns.whole("site")])
    sites, slots = opened.columns.whole("site")[found], opened.columns.whole("slot")[found]
    own = np.zeros(len(found), dtype=np.bool_)
    for ref in tensors:
        wanted = (sites == ref.site) & (slots == ref.slot)
        if ref in calls:
            wanted &= _in_calls(opened, found, calls[ref])
        own |= wanted
    return found[own]


def _in_calls(opened: NamedTensors, events: Ints, calls: Calls) -> Bools:
    """Which of some events belong to one of these calls."""
    executions, paths = opened.columns.whole("execution")[events], opened.columns.whole("path")[events]
    known = opened.executions
    found = np.zeros(len(events), dtype=np.bool_)
    for call in calls:
        made = (known.site == call.site) | (call.site == NONE)
        made &= (known.graph == call.graph) | (call.graph == NONE)
        within = np.isin(executions, known.number[made]) | ((executions < 0) & (call.site == NONE))
        found |= within & (paths == call.path)
    return found


def _unknown(opened: NamedTensors, tensor: str, function: str) -> str:
    where = f" in a function {function!r}" if function else ""
    near = nearest(opened.program, tensor, opened.recorded)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "the table of events lists the tensors"
    return f"no tensor {tensor!r}{where} was recorded; {hint}"
