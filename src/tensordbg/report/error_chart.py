"""The error along the data flow as a chart: where a difference is made, and what becomes of it.

`columns_of` says what is drawn, for the terminal and for a notebook alike; the scale is logarithmic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from tensordbg.analysis.diff.result import Comparison, PairError

_WIDTH = 72
_HEIGHT = 6
_FEWEST = 3
"""A chart of fewer values says no more than the sentence above it."""
_NOTHING = 1e-9
"""Errors below are drawn as none."""
_FAR = 10.0
"""What can't be compared is drawn as if it were so far apart."""
_GLYPHS = {"equal": ("░", "dim"), "added": ("█", "bold red"), "inherited": ("▒", "yellow")}
_MATTERS = ("equal", "inherited", "added")


@dataclass(frozen=True)
class ErrorColumn:
    """Some values one behind the other: the largest of their errors, and what matters most of their states."""

    error: float
    state: str
    first: PairError
    """The one with that error."""


def shown_errors(result: Comparison) -> tuple[PairError, ...]:
    """The pairs that a chart shows: of the step in which the runs part, else of the first one."""
    if result.first is not None:
        at = result.first.b or result.first.a
        step = at.view.step if at is not None else 0
    else:
        step = min((each.step for each in result.errors if each.step >= 0), default=-1)
    return tuple(each for each in result.errors if each.step == step)


def columns_of(errors: Sequence[PairError], most: int) -> tuple[ErrorColumn, ...]:
    """Sums pairs up in at most so many columns of as many pairs each."""
    each = max(1, math.ceil(len(errors) / most))
    return tuple(_column(errors[start : start + each]) for start in range(0, len(errors), each))


def level(error: float, highest: float) -> float:
    """How high an error stands between nothing, 0, and the highest one, 1."""
    if error <= _NOTHING:
        return 0.0
    return math.log(error / _NOTHING) / math.log(max(highest, 10 * _NOTHING) / _NOTHING)


def error_chart(result: Comparison) -> list[Text]:
    """The lines of the chart for a terminal; none where there is too little to draw."""
    errors = shown_errors(result)
    if result.first is None or len(errors) < _FEWEST:
        return []
    columns = columns_of(errors, _WIDTH)
    highest = max(column.error for column in columns)
    levels = [level(column.error, highest) * _HEIGHT for column in columns]
    lines = [Text(f"error along the data flow, step {errors[0].step}", style="bold")]
    for row in range(_HEIGHT - 1, -1, -1):
        lower = _NOTHING * (max(highest, 10 * _NOTHING) / _NOTHING) ** ((row + 1) / _HEIGHT)
        line = Text(f"{lower:8.0e} │", style="dim")
        for column, height in zip(columns, levels, strict=True):
            glyph, style = _GLYPHS[column.state]
            line.append(*((glyph, style) if height > row else (" ", "")))
        lines.append(line)
    found = {column.state for column in columns}
    words = {"equal": "agrees", "added": "made there", "inherited": "came in"}
    told = "  ".join(f"{_GLYPHS[state][0]} {words[state]}" for state in _MATTERS if state in found)
    lines.append(Text(f"         └{'─' * len(columns)}", style="dim"))
    lines.append(Text(f"          {told}", style="dim"))
    return lines


def _column(errors: Sequence[PairError]) -> ErrorColumn:
    far = max(errors, key=_size)
    state = max((each.state for each in errors), key=_MATTERS.index)
    return ErrorColumn(_size(far), state, far)


def _size(pair: PairError) -> float:
    return _FAR if pair.error is None else pair.error
