"""Runs the programs of twins, and compares what they have recorded by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tensordbg.analysis.diff.compare import Asked, compare_sides
from tensordbg.analysis.diff.result import Comparison, FirstDifference
from tensordbg.analysis.diff.side import Side, read_side
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.reader import open_trace
from tests import programs

ROOT = Path(__file__).parents[3]


def recorded(folder: Path, *names: str) -> Iterator[Path]:
    """Runs programs of this folder in turn; gives the folder in which each of their twins has one with its trace."""
    for name in names:
        command = [sys.executable, "-m", f"tests.e2e.twins.{name}", str(folder)]
        done = programs.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
    yield folder
    _side.cache_clear()  # each holds its files open


@cache
def _side(folder: Path) -> Side:
    return read_side(open_trace(find_run(folder).only().folder))


def compared(runs: Path, a: str, b: str) -> Comparison:
    """Compares two twins."""
    return compare_sides(_side(runs / a), _side(runs / b), Asked())


def first(runs: Path, a: str, b: str) -> FirstDifference:
    """The first difference of two twins that differ."""
    result = compared(runs, a, b)
    assert (result.status, result.first is not None) == ("diverged", True)
    assert result.first is not None
    return result.first
