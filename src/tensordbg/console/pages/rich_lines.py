"""Reports that were made for the terminal, as lines of a page."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace

from rich.console import RenderableType
from rich.segment import Segment
from rich.style import Style as RichStyle

from tensordbg.console.pages.page import FixedLines, Line, Span, Style
from tensordbg.report.terminal import PlainConsole

WIDTH = 100


def lines_of(*parts: RenderableType, width: int = WIDTH) -> FixedLines:
    """The lines of one or more reports."""
    console = PlainConsole(io.StringIO(), width, color_system=None)
    lines: list[Line] = []
    for part in parts:
        lines += [_line(segments) for segments in console.render_lines(part, pad=False)]
    return FixedLines(tuple(lines))


def _line(segments: Iterable[Segment]) -> Line:
    spans = [Span(segment.text, _style(segment.style)) for segment in Segment.simplify(segments) if segment.text]
    while spans and not spans[-1].text.strip():
        spans.pop()
    if spans:  # rich fills columns up
        spans[-1] = replace(spans[-1], text=spans[-1].text.rstrip())
    return tuple(spans)


def _style(style: RichStyle | None) -> Style:
    if style is None:
        return ""
    colour = style.color.name if style.color is not None else ""
    if colour == "red":
        return "bad"
    if style.reverse:
        return "highlight"
    if style.dim:
        return "dim"
    return "bold" if style.bold else ""
