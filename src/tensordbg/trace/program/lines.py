"""Reads files of JSON lines, as far as they are intact."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensordbg.json_input import load_json
from tensordbg.opening import read_whole

MOST_BYTES = 2**29
"""A file of lines is no longer; that of a million operations takes half of it."""


@dataclass(frozen=True)
class Lines:
    """The rows of a file of JSON lines."""

    rows: tuple[dict[str, Any], ...]
    """The objects, in order."""
    damaged: int
    """How many lines hold none."""


def read_lines(path: Path) -> Lines:
    """Reads the objects of a file; lines that hold none are passed over and counted.

    The last line counts as damaged only where its end is there: a writer may be in the midst of it, or was killed.
    A file that does not exist holds nothing.

    Raises:
        OSError: If the file is there and can't be read.
    """
    try:
        data = read_whole(path, MOST_BYTES)
    except FileNotFoundError:
        return Lines((), 0)
    *whole, last = data.split(b"\n")
    parsed = [_parse(line) for line in whole if line]
    rows = [row for row in parsed if row is not None]
    cut = _parse(last)
    return Lines((*rows, cut) if cut else tuple(rows), len(parsed) - len(rows))


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        row = load_json(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None
