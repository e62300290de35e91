"""Notes to read before trusting a trace: warnings from its recording, changes made to functions for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.trace.program.metadata import AS_TOLD


def trace_notes(trace: TraceSource) -> tuple[str, ...]:
    """One line for each thing to know, the recording's own warnings first."""
    notes = list(trace.facts.warnings)
    if trace.facts.overwritten:
        notes.append(_gone(trace.facts.last, trace.facts.overwritten))
    if trace.facts.end is None:
        notes.append("the program runs still, or was killed; its last step may be there in part only")
    rows = trace.table("functions", ["name", "notes"]).to_pylist()
    return (*notes, *_function_notes(rows))


def _gone(last: int, records: int) -> str:
    if last == AS_TOLD:
        return (
            f"{records:,} records of runs at which nothing stopped are gone, so that the trace does not grow with them"
        )
    return (
        f"only the last {last:,} executions and the last {last:,} tensors of functions were kept; "
        f"{records:,} records from before them are gone"
    )


def _function_notes(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """Each note once, with the functions that it holds for."""
    names: dict[str, dict[object, None]] = {}
    for row in rows:
        for note in row["notes"] or ():  # type: ignore[attr-defined]
            names.setdefault(note, {})[row["name"]] = None
    return [f"{', '.join(map(str, functions))}: {note}" for note, functions in names.items()]
