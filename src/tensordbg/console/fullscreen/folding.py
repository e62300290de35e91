"""Breaks the lines of a page that are wider than the pane, so that a text is read without scrolling sideways."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from rich.cells import cell_len

from tensordbg.console.pages.page import FixedLines, Line, Page, Span, plain

_LONGEST = 5000
"""Pages of more lines are tables or values: they stay as they are, and are made only where they are looked at."""
_NARROWEST = 20
_COLUMN = re.compile(r"^\s+|\s{2,}(?=\S)")

_Piece = tuple[Span, str]
"""A word or blanks, and the span that they belong to."""


@dataclass(frozen=True)
class Folding:
    """A page as it is drawn."""

    page: Page
    first: tuple[int, ...] | None = None
    """For each line of the page that was given, its first line here; None where they are the same."""

    def row_of(self, line: int) -> int:
        """Where a line of the page that was given begins."""
        return line if self.first is None else self.first[min(line, len(self.first) - 1)] if self.first else 0

    def line_of(self, row: int) -> int:
        """The line of the page that was given to which a line of this one belongs."""
        return row if self.first is None else max(sum(first <= row for first in self.first) - 1, 0)


def fold(page: Page, width: int) -> Folding:
    """Folds a text; a table (which has headings) and the elements of a tensor stay as they are."""
    if page.head or page.anchor is not None or len(page) > _LONGEST or width < _NARROWEST:
        return Folding(page)
    lines: list[Line] = []
    first = []
    for line in page.lines(0, len(page)):
        first.append(len(lines))
        lines += _folded(line, width)
    start = first[page.start] if page.start < len(first) else 0
    return Folding(replace(page, body=FixedLines(tuple(lines)), start=start), tuple(first))


def _folded(line: Line, width: int) -> Iterator[Line]:
    """A line in parts, broken between words; all but the first are indented as its last column is."""
    text = plain(line).rstrip()
    if cell_len(text) <= width:
        yield line
        return
    columns = [match.end() for match in _COLUMN.finditer(text) if match.end() <= width // 2]
    indent = columns[-1] if columns else 0
    row: list[_Piece] = []
    used = 0
    for span, piece in _pieces(line, len(text), width - indent):
        if row and used + cell_len(piece) > width:
            yield _joined(row)
            row, used = [(Span(" " * indent), " " * indent)] if indent else [], indent
            if piece.isspace():
                continue
        row.append((span, piece))
        used += cell_len(piece)
    yield _joined(row)


def _pieces(line: Line, length: int, width: int) -> Iterator[_Piece]:
    """The words and blanks of the first `length` signs, each no longer than `width`."""
    for span in line:
        for piece in re.findall(r"\s+|\S+", span.text[:length]):
            for begin in range(0, len(piece), width):
                yield span, piece[begin : begin + width]
        length = max(length - len(span.text), 0)


def _joined(row: list[_Piece]) -> Line:
    """Spans again: pieces of one span side by side are one."""
    spans = []
    for _, group in groupby(row, key=lambda piece: id(piece[0])):
        pieces = list(group)
        spans.append(replace(pieces[0][0], text="".join(text for _, text in pieces)))
    return tuple(spans)
