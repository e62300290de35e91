"""A comparison of two runs for a notebook: A on the left, B on the right, and the error along the data flow drawn."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from tensordbg.analysis.diff.result import Comparison, FirstDifference
from tensordbg.controls import escaped
from tensordbg.report.diff_text import differing_parameters, headline, of_both, sentences, totals
from tensordbg.report.error_chart import ErrorColumn, columns_of, level, shown_errors
from tensordbg.report.numbers import short

_WIDTH, _HEIGHT, _BARS = 720, 96, 240
_COLOURS = {"equal": "#8a8f98", "added": "#c62828", "inherited": "#c98a00"}
_WORDS = {"equal": "agrees", "added": "made there", "inherited": "came in"}
_CELL = 'style="text-align:left;padding:0 1.5em 0 0;font-family:monospace;white-space:pre-wrap"'


def diff_html(result: Comparison) -> str:
    """The comparison as a piece of HTML that needs no style sheet and no script."""
    parts = [f"<p><b>{_safe(headline(result))}</b></p>"]
    if result.first is not None:
        parts += [_table(result.first), *(f"<p>{_safe(line)}</p>" for line in sentences(result.first))]
    parts += [_chart(result), _parameters(result)]
    parts.append(f"<p><small>{_safe(totals(result))}</small></p>")
    parts += [f"<p><small>note: {_safe(note)}</small></p>" for note in result.notes]
    return f"<div>{''.join(parts)}</div>"


def _safe(text: str) -> str:
    return escape(escaped(text))


def _table(found: FirstDifference) -> str:
    return _rows(("", "A, the reference", "B"), of_both(found))


def _parameters(result: Comparison) -> str:
    telling = differing_parameters(result)
    rows = [(each.a or "-", each.b or "-", each.status, short(each.error)) for each in telling]
    return _rows(("parameter of A", "of B", "", "apart by"), rows) if rows else ""


def _rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    titles = "".join(f"<th {_CELL}>{_safe(each)}</th>" for each in head)
    cells = "".join(f"<tr>{''.join(f'<td {_CELL}>{_safe(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{cells}</tbody></table>"


def _chart(result: Comparison) -> str:
    errors = shown_errors(result)
    if not errors:
        return ""
    columns = columns_of(errors, _BARS)
    highest = max(column.error for column in columns)
    width = _WIDTH / len(columns)
    bars = "".join(_bar(column, position * width, width, highest) for position, column in enumerate(columns))
    keys = " ".join(f'<span style="color:{_COLOURS[state]}">■</span> {word}' for state, word in _WORDS.items())
    return (
        f"<p><small>error along the data flow, step {errors[0].step}, at most {short(highest)}: {keys}</small></p>"
        f'<svg role="img" aria-label="error along the data flow" width="{_WIDTH}" height="{_HEIGHT}" '
        f'style="max-width:100%">{bars}</svg>'
    )


def _bar(column: ErrorColumn, x: float, width: float, highest: float) -> str:
    height = max(1.0, level(column.error, highest) * _HEIGHT)
    pair = column.first
    title = f"{pair.a} ({pair.line_a}) and {pair.b} ({pair.line_b}): {short(pair.error)}, {_WORDS[pair.state]}"
    return (
        f'<rect x="{x:.2f}" y="{_HEIGHT - height:.2f}" width="{max(width - 0.5, 0.5):.2f}" height="{height:.2f}" '
        f'fill="{_COLOURS[column.state]}"><title>{_safe(title)}</title></rect>'
    )
