"""The numbers of `pt -s`: how many elements are negative, zero..., and the extent of those that are finite."""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.console.pages.page import FixedLines, Line, Lines, Span, Style
from tensordbg.model import Health
from tensordbg.report.numbers import count

_COUNTS = (
    ("nan", "nan"), ("-inf", "neg_inf"), ("-", "negative"), ("0", "zero"), ("+", "positive"), ("+inf", "pos_inf"),
    ("subnormal", "subnormal"),
)  # fmt: skip
_BAD = frozenset({"nan", "-inf", "+inf"})


def summary_lines(health: Health) -> Lines:
    """Both tables; what is not there, and what was not measured, is left out."""
    known = [(head, getattr(health, name)) for head, name in _COUNTS if name not in health.unmeasured]
    counts = [(head, count(number)) for head, number in known if number]
    lines = _table([*counts, ("total", count(health.size))])
    if health.finite and not {"min", "max", "sum", "sum_squares"} & set(health.unmeasured):
        reals = (("min", health.min), ("max", health.max), ("mean", health.mean), ("std", health.std))
        lines += _table([(head, f"{number:.9g}") for head, number in reals])
    return FixedLines(tuple(lines))


def _table(columns: Sequence[tuple[str, str]]) -> list[Line]:
    widths = [max(len(head), len(value)) for head, value in columns]
    return [
        _row([(head, head) for head, _ in columns], widths, "heading"),
        _row(columns, widths, ""),
    ]


def _row(cells: Sequence[tuple[str, str]], widths: Sequence[int], style: Style) -> Line:
    spans = [Span("|", "dim")]
    for (head, text), width in zip(cells, widths, strict=True):
        look: Style = style or ("bad" if head in _BAD else "")
        spans += [Span(f" {text:>{width}} ", look), Span("|", "dim")]
    return tuple(spans)
