"""Ragged and sparse tensors as one value: what was recorded of their parts, put together event by event.

The tensor that holds the elements stands for the whole. Where its elements and those of the parts were kept, the value
is written as TensorFlow prints it, else what the shapes of the parts tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import shape_of
from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.program.composite_notes import noted_composites
from tensordbg.analysis.program.details import health_of
from tensordbg.analysis.query import one_database, sql
from tensordbg.analysis.tensors.composite_text import ragged_text, sparse_text
from tensordbg.analysis.tensors.eager_composites import eager_composites, events_of_parts
from tensordbg.errors import TraceError, UsageError
from tensordbg.model import COMPOSITES, TensorRef
from tensordbg.trace.raw.values import KeptTensor
from tensordbg.trace.reader import TraceReader

Array = npt.NDArray[Any]
Row = Mapping[str, Any]
Listed = TypeVar("Listed", bound=ListedTensor)

_LONGEST = 120
"""Of a longer text the beginning stands in a table."""

_MOST_ELEMENTS = 1000
"""Of a larger value a table tells its parts' shapes alone."""

_MOST_RUNS = 10_000
"""So many executions are named in a query."""

_PLACE = ("execution", "run", "path", "frame", "iteration")
"""What the events of all parts of one value have in common."""


@dataclass(frozen=True)
class _Composite:
    """What an output holds the elements of."""

    kind: str
    parts: tuple[TensorRef, ...]


def with_values(reader: TraceReader, points: tuple[Listed, ...]) -> tuple[Listed, ...]:
    """Has events that hold the elements of a ragged or sparse tensor tell of the whole tensor."""
    with one_database({"": reader}):
        known = _Known.of(reader, points)
    return tuple(replace(point, text=known.short(point) or point.text) for point in points) if known else points


def whole_values(reader: TraceReader, points: Iterable[ListedTensor]) -> dict[int, str]:
    """By event the text of each ragged or sparse tensor of which all parts were kept, as TensorFlow prints it."""
    points = tuple(points)
    with one_database({"": reader}):
        known = _Known.of(reader, points)
    texts = {point.event: known.full(point) for point in points} if known else {}
    return {event: text for event, text in texts.items() if text}


@dataclass(frozen=True)
class _Known:
    """What was recorded of the composites of some sites."""

    reader: TraceReader
    composites: Mapping[TensorRef, _Composite]
    elements: Mapping[int, Row]
    """By number the events of the elements."""
    parts: Mapping[tuple[TensorRef, tuple[Any, ...]], list[Row]]
    """By tensor and place the events of the parts."""
    eager: Mapping[tuple[int, TensorRef], Row]
    """In eager code, by event of the elements and part, the events of the parts."""
    constants: Mapping[int, Array]
    """By site."""

    @classmethod
    def of(cls, reader: TraceReader, points: Sequence[ListedTensor]) -> _Known | None:
        """None where none of the sites has any."""
        sites = {point.site for point in points}
        chosen = ", ".join(map(str, sorted(sites)))
        where = f"contains(attributes, '\"{COMPOSITES}\"') AND site IN ({chosen})"
        bearers = (
            sql(reader, f"SELECT site, function, attributes FROM sites WHERE {where}").to_pylist() if sites else []
        )
        eager = eager_composites(reader, frozenset(TensorRef(point.site, point.slot) for point in points))
        composites = dict(_composites(reader, bearers))
        composites.update((ref, _Composite(each.kind, each.parts)) for ref, each in eager.items())
        if not composites:
            return None
        refs = {ref for each in composites.values() for ref in each.parts}
        wanted = ", ".join(str(site) for site in sorted({ref.site for ref in refs} | {ref.site for ref in composites}))
        query = f"SELECT * FROM tensors t WHERE t.site IN ({wanted}) {_among(points)} ORDER BY t.event"
        rows = sql(reader, query).to_pylist()
        elements: dict[int, Row] = {}
        parts: dict[tuple[TensorRef, tuple[Any, ...]], list[Row]] = {}
        for row in rows:
            ref, place = TensorRef(row["site"], row["slot"]), tuple(row[name] for name in _PLACE)
            if ref in refs:
                parts.setdefault((ref, place), []).append(row)
            if ref in composites:
                elements[row["event"]] = row
        return cls(
            reader, composites, elements, parts, events_of_parts(reader, eager, points), _constants(reader, refs)
        )

    def short(self, point: ListedTensor) -> str:
        """For a table."""
        composite = self.composites.get(TensorRef(point.site, point.slot))
        if composite is None:
            return ""
        size = None if point.health is None else point.health.size
        text = self.full(point) if size is not None and size <= _MOST_ELEMENTS else ""
        line = " ".join(text.split())
        if line:
            return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
        return self._extent(point, composite)

    def full(self, point: ListedTensor) -> str:
        """As TensorFlow prints it; empty where a part was not kept."""
        composite = self.composites.get(TensorRef(point.site, point.slot))
        if composite is None:
            return ""
        try:
            elements = self._read(self.elements.get(point.event))
            others = [self._elements(point, ref) for ref in composite.parts]
        except (UsageError, TraceError):
            return ""
        if elements is None or any(each is None for each in others):
            return ""
        given = [each for each in others if each is not None]
        return ragged_text(elements, given) if composite.kind == "ragged" else sparse_text(elements, given[0], given[1])

    def _elements(self, point: ListedTensor, ref: TensorRef) -> Array | None:
        if ref.site in self.constants:
            return self.constants[ref.site]
        return self._read(self._part(point, ref))

    def _read(self, row: Row | None) -> Array | None:
        """The elements of an event where they were kept."""
        if row is None or row["value_position"] is None:
            return None
        kept = KeptTensor(row["value_position"], row["dtype"], shape_of(row["shape"]) or (), health_of(dict(row)))
        return self.reader.read_value(kept)

    def _part(self, point: ListedTensor, ref: TensorRef) -> Row | None:
        """The event of a part that belongs to one of the elements: of several the nearest."""
        if (point.event, ref) in self.eager:
            return self.eager[point.event, ref]
        own = self.elements.get(point.event)
        rows = [] if own is None else self.parts.get((ref, tuple(own[name] for name in _PLACE)), [])
        return min(rows, key=lambda row: abs(row["event"] - point.event), default=None)

    def _extent(self, point: ListedTensor, composite: _Composite) -> str:
        """What is known without elements."""
        first = composite.parts[0] if composite.parts else None
        if first is None:
            return ""
        if first.site in self.constants:
            shape: tuple[int, ...] | None = self.constants[first.site].shape
        else:
            row = self._part(point, first)
            shape = None if row is None else shape_of(row["shape"])
        if composite.kind == "ragged":
            return f"ragged, {shape[0] - 1} rows" if shape else "ragged"
        count = "" if not point.shape else f", {point.shape[0]} values"
        return f"sparse of rank {shape[1]}{count}" if shape and len(shape) == 2 else f"sparse{count}"


def _among(points: Sequence[ListedTensor]) -> str:
    """The condition that an event comes of what some others come of; of very many all are looked at."""
    runs = {(point.execution, point.run) for point in points}
    pairs = ", ".join(f"({execution:d}, {run:d})" for execution, run in sorted(runs))
    return f"AND (t.execution, t.run) IN ({pairs})" if len(runs) <= _MOST_RUNS else ""


def _composites(reader: TraceReader, bearers: list[dict[str, Any]]) -> Iterable[tuple[TensorRef, _Composite]]:
    functions = ", ".join(sorted({str(row["function"]) for row in bearers}))
    named = sql(reader, f"SELECT site, name, function FROM sites WHERE function IN ({functions})") if bearers else None
    sites = {(row["function"], row["name"]): row["site"] for row in named.to_pylist()} if named else {}
    for row in bearers:
        for slot, kind, parts in noted_composites(row["attributes"]):
            found = [(sites.get((row["function"], name)), number) for name, number in parts]
            if all(site is not None for site, _ in found):
                refs = tuple(TensorRef(site, number) for site, number in found if site is not None)
                yield TensorRef(row["site"], slot), _Composite(kind, refs)


def _constants(reader: TraceReader, refs: set[TensorRef]) -> dict[int, Array]:
    """The values of parts that are constants, which are not recorded, as far as they were noted."""
    wanted = ", ".join(str(site) for site in sorted({ref.site for ref in refs}))
    rows = sql(reader, f"SELECT site, attributes FROM sites WHERE site IN ({wanted}) AND op_type = 'Const'").to_pylist()
    values = {row["site"]: json.loads(row["attributes"]).get("value") for row in rows}
    arrays = {site: np.asarray(value) for site, value in values.items() if value is not None}
    return {site: array for site, array in arrays.items() if array.dtype.kind in "iu"}
