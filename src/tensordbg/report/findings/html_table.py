"""The findings as a small table of HTML, for a notebook: no script, and nothing in it that is not escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tensordbg.analysis.finding import Origin, WhyResult
from tensordbg.report.findings.origin_text import moment_of
from tensordbg.report.findings.why_text import status_sentence, totals_sentence
from tensordbg.report.numbers import count

_ROWS = 12
"""So many findings are shown."""

_HEADINGS = ("", "tensor", "cause", "line", "when", "why")

_ROOM = ' style="padding:0.15em 0.6em;text-align:left"'
"""Not every notebook has a style for tables."""


def findings_table(result: WhyResult) -> str:
    """A sentence, and a table where there is anything to list."""
    rows = [*_origin_rows(result), *_other_rows(result)]
    said = [totals_sentence(result)] if result.non_finite_events else []
    if not any(origin.consequential for origin in result.origins):
        said.insert(0, status_sentence(result))
    if len(rows) > _ROWS:
        said.append(f"{count(len(rows) - _ROWS)} more findings are not listed here.")
    sentence = f"<p>{escape(' '.join(said))}</p>"
    return f"<div>{sentence}{_table(rows[:_ROWS]) if rows else ''}</div>"


def _table(rows: list[tuple[str, ...]]) -> str:
    head = "".join(f"<th{_ROOM}>{escape(name)}</th>" for name in _HEADINGS)
    body = "".join("<tr>" + "".join(f"<td{_ROOM}>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _origin_rows(result: WhyResult) -> Iterator[tuple[str, ...]]:
    for origin in result.origins:
        kind = "origin" if origin.consequential else "harmless"
        name = f"{origin.process}: {origin.view.tensor}" if origin.process else origin.view.tensor
        place = origin.place.place if origin.place else ""
        yield kind, name, origin.cause, place, _when(origin), origin.explanation


def _when(origin: Origin) -> str:
    times = f", {count(origin.occurrences)} times" if origin.occurrences > 1 else ""
    return f"{moment_of(origin.view).removeprefix('in ')}{times}"


def _other_rows(result: WhyResult) -> Iterator[tuple[str, ...]]:
    for warning in result.warnings:
        place = warning.source.place if warning.source else ""
        moment = moment_of(warning.view).removeprefix("in ")
        yield "warning", warning.variable or warning.view.tensor, warning.kind, place, moment, warning.explanation
    for alert in result.alerts:
        place = alert.source.place if alert.source else ""
        yield "alert", alert.tensor or alert.function, alert.kind, place, "", alert.explanation
