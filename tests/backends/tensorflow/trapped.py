"""Runs programs with a trap, for the tests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from tensordbg.backends.tensorflow.trap.trapping import Trapping, start_trap
from tensordbg.trapping.plan import OnBad, TrapPlan


@contextlib.contextmanager
def trapping(folder: Path, on_bad: str = "stop", most: int = 10, size: int = 2**32) -> Iterator[Trapping]:
    """Sets a trap."""
    trap = start_trap(TrapPlan(folder, OnBad(on_bad), most, size))
    try:
        yield trap
    finally:
        trap.stop()
