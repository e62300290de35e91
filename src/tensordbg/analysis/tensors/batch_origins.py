"""Which elements a batch consists of that a program took out of a pipeline with origins.

The pipeline notes the names of each batch that it gives, and what it gives is measured there. It runs ahead of the
program, so nothing but the numbers links the two: a batch is one that was noted if all of its parts agree in type,
shape and every statistic. Where that leaves several, which have other names, it is told by their order as long as all
that were noted were taken; else nothing is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tensordbg.analysis.columns.reading import Ints, TraceSource, integers, rows, tensor_pieces
from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.events import read_executions, row_of
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.query import sql
from tensordbg.errors import TraceError, UsageError
from tensordbg.model import BATCH_ORIGINS, NONE, Site, names_origins
from tensordbg.operations.traits import Trait
from tensordbg.trace.reader import TraceReader

_COUNTS = ("size", "negative", "zero", "neg_inf", "pos_inf", "nan", "first_bad")
_NUMBERS = ("min", "max", "sum", "sum_squares")
Names = tuple[str, ...]
_Parts = dict[int, dict[str, Any]]
"""By position in the batch the statistics of its parts."""


@runtime_checkable
class ValueSource(TraceSource, Protocol):
    """A trace that has the elements of tensors too."""

    def value(self, event: int) -> Any:
        """The elements of the tensor of an event, as an array."""


@dataclass
class _Batch:
    """A batch as the pipeline noted it, or as the program took it."""

    parts: _Parts = field(default_factory=dict)
    events: list[int] = field(default_factory=list)
    names: Names = ()

    @property
    def key(self) -> tuple[object, ...]:
        """A key that equal batches share."""
        return tuple((at, *_statistics(self.parts[at])) for at in sorted(self.parts))


def noting_sites(program: Program) -> tuple[frozenset[int], frozenset[int]]:
    """The sites that hold the names of batches, and those of the parts of the batches beside them."""
    named = {site.site: site.function for site in program.sites.values() if BATCH_ORIGINS in site.name}
    graphs = set(named.values()) - {NONE}
    inside = (site for graph in graphs for site in program.sites_of_graph.get(graph, ()))
    return frozenset(named), frozenset(site.site for site in inside if site.argument > 0)


def events_of_sites(trace: TraceSource, sites: Collection[int]) -> Ints:
    """The numbers of all events of some sites."""
    wanted = np.asarray(sorted(sites), dtype=np.int64)
    found = [
        piece.start + np.flatnonzero(np.isin(integers(table, "site"), wanted))
        for piece, table in (tensor_pieces(trace, ["site"]) if len(wanted) else ())
    ]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def with_batches(reader: TraceReader, points: tuple[ListedTensor, ...]) -> tuple[ListedTensor, ...]:
    """Adds to events that are parts of batches the names of the batches' elements."""
    query = f"SELECT count(*) AS n FROM sites WHERE contains(name, '{BATCH_ORIGINS}')"
    if not sql(reader, query).column("n")[0].as_py():
        return points
    names = BatchOrigins(reader, read_program(reader)).names([point.event for point in points if not point.run])
    return tuple(replace(point, came_from=names[point.event]) if point.event in names else point for point in points)


class BatchOrigins:
    """Knows the batches of a trace; nothing is read of one without origins."""

    def __init__(self, trace: TraceSource, program: Program) -> None:
        """Nothing is read yet."""
        self._trace = trace
        self._program = program
        self._names, self._parts = noting_sites(program)

    @property
    def any(self) -> bool:
        """Whether a pipeline of the trace has origins, and their names can be read."""
        return bool(self._names) and isinstance(self._trace, ValueSource)

    def of_event(self, event: int) -> Names:
        """Names of the elements that an event was computed for, or of which its batch consists."""
        return self.runs([event]).get(event) or self.names([event]).get(event, ())

    def runs(self, events: Collection[int]) -> dict[int, Names]:
        """For events of functions of such a pipeline the names of the element that they were computed for."""
        if not self.any or not events:
            return {}
        sites = {site.site for site in self._program.sites.values() if names_origins(site.name)}
        run_of = {row["event"]: row["run"] for row in self._rows(_sorted(events), ["run"]) if row["run"]}
        holding = self._rows(events_of_sites(self._trace, sites), ["run"]) if run_of else []
        wanted = set(run_of.values())
        names = {row["run"]: self._read(row["event"]) for row in holding if row["run"] in wanted}
        return {event: names[run] for event, run in run_of.items() if names.get(run)}

    def names(self, events: Collection[int]) -> dict[int, Names]:
        """For events that are part of a batch the names of its elements: one for each row, or one for the whole.

        An event is part of one if an operation took it out of a pipeline, or if it is the argument of a function that
        was called with what such an operation gave.
        """
        if not self.any or not events:
            return {}
        found = {}
        for row in self._rows(_sorted(events), ["site", "slot", "execution"]):
            taken = self._taken_as(row)
            names = self._of_taken.get(taken, ()) if taken is not None else ()
            if names:
                found[row["event"]] = names
        return found

    def _taken_as(self, row: dict[str, Any]) -> int | None:
        """The event of what was taken out of the pipeline that an event is, or that it was given."""
        if row["event"] in self._of_taken:
            return int(row["event"])
        site = self._program.sites.get(row["site"])
        if site is None or site.argument == NONE or row["execution"] == NONE:
            return None
        executions = self._executions
        at = int(row_of(executions.number, np.asarray([row["execution"]]))[0])
        if at == NONE:
            return None
        place = int(executions.input_starts[at]) + site.argument
        if place >= executions.input_starts[at + 1] or executions.input_row[place] == NONE:
            return None
        maker = int(executions.number[executions.input_row[place]])
        return self._taken_by.get((maker, int(executions.input_slot[place])))

    @cached_property
    def _executions(self) -> Any:
        return read_executions(self._trace, self._program)

    @cached_property
    def _of_taken(self) -> Mapping[int, Names]:
        """By the event of each part that was taken out of a pipeline the names of the batch."""
        noted = list(self._noted().values())
        found: dict[int, Names] = {}
        for batch, names in _matched(list(self._taken().values()), noted):
            found.update(dict.fromkeys(batch.events, names))
        return found

    @cached_property
    def _taken_by(self) -> Mapping[tuple[int, int], int]:
        """By execution and slot the events of what eager operations took out of a pipeline."""
        rows_taken = self._rows(events_of_sites(self._trace, self._taking), ["site", "slot", "execution"])
        sites = self._program.sites
        eager = (row for row in rows_taken if sites[row["site"]].function == NONE)
        return {(row["execution"], row["slot"]): row["event"] for row in eager}

    @cached_property
    def _taking(self) -> frozenset[int]:
        return frozenset(site.site for site in self._program.sites.values() if _takes(site))

    def _taken(self) -> dict[tuple[Any, ...], _Batch]:
        place = ("execution", "site", "path", "frame", "iteration")
        batches: dict[tuple[Any, ...], _Batch] = {}
        for row in self._measured(self._taking, (*place, "slot")):
            batch = batches.setdefault(tuple(row[name] for name in place), _Batch())
            batch.parts[row["slot"]] = row
            batch.events.append(row["event"])
        return batches

    def _noted(self) -> dict[int, _Batch]:
        batches: dict[int, _Batch] = {}
        for row in self._measured(self._parts, ("run", "site")):
            batches.setdefault(row["run"], _Batch()).parts[self._program.sites[row["site"]].argument - 1] = row
        for row in self._rows(events_of_sites(self._trace, self._names), ["run"]):
            if row["run"] in batches:
                batches[row["run"]].names = self._read(row["event"])
        return {run: batch for run, batch in batches.items() if batch.names}

    def _measured(self, sites: Collection[int], place: Collection[str]) -> Iterator[dict[str, Any]]:
        """The statistics of all events of some sites, of those that have any."""
        columns = ["dtype", "shape", *_COUNTS, *_NUMBERS, *place]
        for row in self._rows(events_of_sites(self._trace, sites), columns):
            if row["size"] is not None and row["sum"] is not None:
                yield row

    def _rows(self, events: Ints, columns: list[str]) -> list[dict[str, Any]]:
        table = self._trace.take(events, columns)
        return [{"event": event, **row} for event, row in zip(events.tolist(), rows(table), strict=True)]

    def _read(self, event: int) -> Names:
        assert isinstance(self._trace, ValueSource)
        try:
            texts = self._trace.value(event).tolist()
        except (TraceError, UsageError, ValueError):
            return ()
        return () if None in texts else tuple(text.decode(errors="replace") for text in texts)


def _sorted(events: Collection[int]) -> Ints:
    return np.asarray(sorted(events), dtype=np.int64)


def _takes(site: Site) -> bool:
    return operation_of(site).has(Trait.FROM_PIPELINE)


def _statistics(part: dict[str, Any]) -> Iterator[object]:
    yield from (part[name] for name in ("dtype", "shape", *_COUNTS))
    # As texts NaN is equal to itself, and sums are that were added in another order.
    yield from (None if part[name] is None else f"{part[name]:.9e}" for name in _NUMBERS)


def _matched(taken: list[_Batch], noted: list[_Batch]) -> Iterator[tuple[_Batch, Names]]:
    """Each batch that was taken with its names, as far as they are certain."""
    candidates, alike = _by_key(noted), _by_key(taken)
    for key, batches in alike.items():
        found = candidates.get(key, [])
        if len({batch.names for batch in found}) == 1:
            yield from ((batch, found[0].names) for batch in batches)
        elif len(found) == len(batches):
            yield from ((batch, of.names) for batch, of in zip(batches, found, strict=True))


def _by_key(batches: list[_Batch]) -> dict[tuple[object, ...], list[_Batch]]:
    found: dict[tuple[object, ...], list[_Batch]] = {}
    for batch in batches:
        found.setdefault(batch.key, []).append(batch)
    return found
