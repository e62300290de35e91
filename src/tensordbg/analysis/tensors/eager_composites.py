"""Ragged and sparse tensors of eager code: which events of the parts belong to an event of the elements.

Each part is an execution of its own. Where all parts were computed as often as the elements, the same run of each
belongs together; else a part is the newest that there was when the elements were computed, or the first after them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tensordbg.analysis.columns.reading import integers
from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.program.composite_notes import EagerComposite, eager_composite
from tensordbg.analysis.query import sql
from tensordbg.model import EAGER_COMPOSITE, NONE, TensorRef
from tensordbg.trace.reader import TraceReader

Row = Mapping[str, Any]


_PUT_TOGETHER = f"""
SELECT site, attributes, line FROM sites LEFT JOIN (
    SELECT stack, arg_max(concat(file, ':', line), depth) FILTER ("user") AS line FROM stacks GROUP BY stack
) USING (stack) WHERE function = {NONE} AND contains(attributes, '"{EAGER_COMPOSITE}"') ORDER BY site
"""


def eager_composites(reader: TraceReader, wanted: frozenset[TensorRef]) -> dict[TensorRef, EagerComposite]:
    """By their elements the values that eager code puts together of some tensors, as the first such line ends."""
    found: dict[TensorRef, tuple[str, EagerComposite]] = {}
    for row in sql(reader, _PUT_TOGETHER).to_pylist():
        told = eager_composite(row["attributes"])
        if told is not None and told.elements in wanted:
            line, _ = found.get(told.elements, (row["line"], told))
            if line == row["line"]:
                found[told.elements] = line, told
    return {elements: told for elements, (_, told) in found.items()}


def events_of_parts(
    reader: TraceReader, composites: Mapping[TensorRef, EagerComposite], points: Sequence[ListedTensor]
) -> dict[tuple[int, TensorRef], Row]:
    """By event of elements and part the event of that part."""
    chosen: dict[tuple[int, TensorRef], int] = {}
    for elements, composite in composites.items():
        own = [point.event for point in points if TensorRef(point.site, point.slot) == elements]
        everywhere = _events(reader, elements)
        for part in composite.parts:
            for event, of_part in zip(own, _belonging(own, everywhere, _events(reader, part)), strict=False):
                chosen[event, part] = of_part
    if not chosen:
        return {}
    numbers = ", ".join(str(number) for number in sorted(set(chosen.values())))
    rows = sql(reader, f"SELECT * FROM tensors WHERE event IN ({numbers})").to_pylist()
    by_event = {row["event"]: row for row in rows}
    return {key: by_event[number] for key, number in chosen.items() if number in by_event}


def _events(reader: TraceReader, ref: TensorRef) -> Any:
    query = f"SELECT event FROM tensors WHERE site = {ref.site:d} AND slot = {ref.slot:d} ORDER BY event"
    return integers(sql(reader, query), "event")


def _belonging(own: list[int], elements: Any, parts: Any) -> list[int]:
    if not len(parts):
        return []
    if len(parts) == len(elements):
        place = np.searchsorted(elements, own)
    else:
        place = np.maximum(np.searchsorted(parts, own) - 1, 0)
    found: list[int] = parts[place].tolist()
    return found
