"""The sum of a run that is attached to another tool: numbers, a table, the report as a page and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensordbg.analysis.finding import SourceLine, WhyResult
from tensordbg.analysis.why import why_of_run
from tensordbg.wire.why import why_to_json

if TYPE_CHECKING:
    from tensordbg.trace.folders.runs import TraceRun

COLUMNS = ("kind", "name", "tensor", "line", "explanation", "fix")
"""Of the table of findings."""


@dataclass(frozen=True)
class SummedUp:
    """A run, summed up."""

    status: str
    """`finite` or `non_finite`."""
    cause: str
    """Of the first origin that matters; empty where none does."""
    numbers: Mapping[str, int]
    rows: tuple[tuple[str, ...], ...]
    """Origins, warnings and alerts, by `COLUMNS`."""
    per_step: tuple[tuple[int, int, int], ...]
    """Of each step: its number, how many tensors were recorded, and how many of them were not finite."""
    markdown: str
    page: bytes
    """The page of `tdbg report`."""
    findings: Mapping[str, Any]
    """As `tdbg why --json` prints them."""


def sum_up(run: TraceRun) -> SummedUp:
    """Sums up a run.

    Raises:
        TraceError: If it can't be read.
    """
    from tensordbg.report.findings.markdown import circumstances_of_run, findings_markdown
    from tensordbg.report.saved_page.page import saved_page
    from tensordbg.trace.reader import open_trace
    from tensordbg.wire.view.answers import RunAnswers

    several = len(run.processes) > 1
    readers = {each.name if several else "": open_trace(each.folder) for each in run.processes}
    result = why_of_run(readers)
    grave = [origin for origin in result.origins if origin.consequential]
    return SummedUp(
        result.status,
        grave[0].cause if grave else "",
        {
            "tensors": result.tensor_events,
            "non_finite": result.non_finite_events,
            "origins": len(grave),
            "warnings": len(result.warnings),
            "alerts": len(result.alerts),
        },
        tuple(_rows(result)),
        _per_step(readers),
        findings_markdown(result, circumstances_of_run(readers)),
        saved_page(RunAnswers(run)),
        why_to_json(result),
    )


def _rows(result: WhyResult) -> Iterator[tuple[str, ...]]:
    for origin in result.origins:
        kind = "origin" if origin.consequential else "harmless"
        yield kind, origin.cause, origin.view.tensor, _place(origin.place), origin.explanation, origin.suggestion
    for warning in result.warnings:
        name = warning.variable or warning.view.tensor
        yield "warning", warning.kind, name, _place(warning.source), warning.explanation, warning.suggestion
    for alert in result.alerts:
        name = alert.tensor or alert.function
        yield "alert", alert.kind, name, _place(alert.source), alert.explanation, alert.suggestion


def _place(line: SourceLine | None) -> str:
    return line.place if line is not None else ""


def _per_step(readers: Mapping[str, Any]) -> tuple[tuple[int, int, int], ...]:
    from tensordbg.analysis.query import sql_of_run
    from tensordbg.analysis.query_limits import Limits

    bad = "count(*) FILTER (coalesce(nan, 0) + coalesce(neg_inf, 0) + coalesce(pos_inf, 0) > 0)"
    query = f"SELECT step, count(*), {bad} FROM events WHERE step >= 0 GROUP BY step ORDER BY step"
    columns = [column.to_pylist() for column in sql_of_run(readers, query, Limits()).columns]
    return tuple(zip(*columns, strict=True))
