"""Pieces that several answers are put together from: times, sizes, tables of few lines, links to source lines."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from tensordbg.console.pages.page import FixedLines, Line, Span, Style
from tensordbg.model import Frame

if TYPE_CHECKING:
    from tensordbg.analysis.finding import SourceLine

_BYTES = {"bfloat16": 2, "half": 2, "qint8": 1, "quint8": 1, "qint16": 2, "quint16": 2, "qint32": 4}

EMPTY = FixedLines(((),))
"""One line with nothing in it."""


def word(text: str) -> str:
    """A text as one word of a command line."""
    plain = text and not any(sign.isspace() or sign in "\"';#" for sign in text) and text[0] not in ">-"
    if plain:
        return text
    return f'"{text}"' if '"' not in text else shlex.quote(text)


def text_lines(*texts: str, style: Style = "") -> FixedLines:
    """Texts as lines."""
    return FixedLines(tuple((Span(text, style),) if text else () for text in texts))


def table_lines(heads: Sequence[str], rows: Sequence[Sequence[Span]], right: Sequence[int] = ()) -> FixedLines:
    """A table of few rows; the columns are as wide as they need to be.

    Args:
        heads: Of the columns; all empty where there is no line of headings.
        rows: A span for each column.
        right: Columns whose texts are set to the right.
    """
    head = tuple(Span(text, "heading") for text in heads)
    whole = [head, *rows] if any(heads) else list(rows)
    widths = [max((len(row[column].text) for row in whole), default=0) for column in range(len(heads))]
    return FixedLines(tuple(_aligned(row, widths, right) for row in whole))


def _aligned(row: Sequence[Span], widths: Sequence[int], right: Sequence[int]) -> Line:
    spans: list[Span] = []
    for column, (span, width) in enumerate(zip(row, widths, strict=True)):
        blanks = " " * (width - len(span.text))
        if column in right:
            spans += [Span(blanks), span]
        else:
            spans += [span, Span(blanks)]
        spans.append(Span("  "))
    while spans and not spans[-1].text.strip():
        spans.pop()
    return tuple(span for span in spans if span.text)


def byte_size(dtype: str, elements: int | None) -> int | None:
    """How many bytes the elements take, None where that is not known."""
    if elements is None:
        return None
    if dtype.startswith("float8") or dtype in {"int4", "uint4"}:
        return elements
    try:
        size = _BYTES[dtype] if dtype in _BYTES else np.dtype(dtype).itemsize
    except TypeError:
        return None
    return elements * size


def milliseconds(nanoseconds: int) -> str:
    """`12.345`, as the old debugger had it."""
    return f"{nanoseconds / 1e6:.3f}"


def place_span(source: Frame | SourceLine | None) -> Span:
    """File and line, which lead to the source."""
    if source is None:
        return Span("")
    return Span(f"{PurePath(source.file).name}:{source.line}", "link", source_command(source.file, source.line))


def source_command(file: str, line: int) -> str:
    """The command that shows a line of a file."""
    return f"ps {word(file)} -b {max(line - 3, 1)}"
