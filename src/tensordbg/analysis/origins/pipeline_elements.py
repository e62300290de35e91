"""Which element of a pipeline with origins a finding is about: that which it was computed for, or a row of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tensordbg.analysis.causes.case import unravelled
from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.finding import Origin
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.tensors.batch_origins import BatchOrigins, Names
from tensordbg.enumeration import first_few
from tensordbg.model import NONE

_TOLD = 3
"""So many names of a batch are told where it is not known which row it was."""


def with_elements(trace: TraceSource, program: Program, origins: Sequence[Origin]) -> tuple[Origin, ...]:
    """Adds to the explanations of origins the name of the element of data, where the trace knows it."""
    batches = BatchOrigins(trace, program)
    if not batches.any:
        return tuple(origins)
    reached = {view.event for origin in origins for view in origin.spread}
    events = {origin.view.event for origin in origins}
    elements, rows = batches.runs(events), batches.names(events | reached)
    return tuple(_with_element(origin, elements.get(origin.view.event, ()), rows) for origin in origins)


def _with_element(origin: Origin, computed_for: Names, rows: Mapping[int, Names]) -> Origin:
    view, index = origin.view, origin.first_bad_index
    said = ""
    if computed_for:
        said = f" It was computed for {first_few(computed_for, _TOLD)}."
    elif view.event in rows:
        said = " " + _of_row(rows[view.event], index, view.shape)
    elif view.execution == NONE:
        # What a source computes before its elements have names is seen in a batch.
        first = next((each for each in origin.spread if each.event in rows), None)
        if first is not None:
            of_row = _of_row(rows[first.event], unravelled(first.health, first.shape), first.shape)
            said = f" Of the first batch that was not finite: {of_row[0].lower()}{of_row[1:]}"
    return replace(origin, verdict=replace(origin.verdict, explanation=origin.verdict.explanation + said))


def _of_row(names: Names, index: tuple[int, ...] | None, shape: tuple[int, ...] | None) -> str:
    if index and shape and shape[0] == len(names):
        return f"Row {index[0]} came from {names[index[0]]}."
    return f"The batch came from {first_few(names, _TOLD)}."
