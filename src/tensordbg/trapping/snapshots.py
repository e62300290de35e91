"""Looks at the variables of trapped functions from time to time, for trouble that no loss and no gradient shows.

What a variable was and what the steps since then were given lead to the step in which it went bad.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensordbg.capture.header import Suspect
from tensordbg.capture.tensors import Array
from tensordbg.health.measured import Measured
from tensordbg.model import NONE
from tensordbg.recording.catalog import CATALOG
from tensordbg.trapping.capture import TrappedFunction, suspect_of
from tensordbg.trapping.targets import VARIABLE, TrapTarget

SHARE = 0.02
"""So much of the time may go into looking."""
FIRST, MOST = 10, 1000
"""After so many steps one looks again, at first and at most."""
NEVER = 2**62
"""After so many where there is nothing to look at."""


@dataclass(frozen=True)
class Snapshot:
    """The variables of a function before a step."""

    step: int
    variables: Mapping[int, Array]
    """By the argument that is the handle."""
    ended: float
    """When it was made, in seconds."""

    @property
    def bad(self) -> frozenset[int]:
        """Those that are not finite."""
        return frozenset(number for number, array in self.variables.items() if not _finite(array))


class Snapshots:
    """The last snapshot of each function."""

    def __init__(self, trapped: Sequence[TrappedFunction], copied: Callable[[Any], Array | None]) -> None:
        """`trapped` has the functions by the number of their trap; it grows. `copied` takes what a trap was given."""
        self._trapped = trapped
        self._copied = copied
        self._last: dict[int, Snapshot] = {}
        self.found: tuple[Suspect, ...] = ()
        """What went bad between the last two looks."""

    def last(self, number: int) -> Snapshot:
        """The last good snapshot of a function."""
        return self._last[number]

    def look(self, number: int, step: int, saved: Sequence[Any]) -> int:
        """Looks at a function's variables before a step.

        Args:
            number: Of its trap.
            step: Which step it is.
            saved: What its trap was given to keep; what variables were that this step has written already.

        Returns:
            After how many steps to look again; -1 where one has gone bad since the last look.
        """
        started = time.perf_counter()
        snapshot = self._read(number, step, saved)
        last = self._last.get(number)
        new = snapshot.bad - last.bad if last is not None else frozenset[int]()
        if new:
            self.found = tuple(
                self._suspect(number, argument, snapshot.variables[argument]) for argument in sorted(new)
            )
            return -1
        self._last[number] = snapshot
        if last is None:
            return FIRST
        each_step = (started - last.ended) / max(1, step - last.step)
        wanted = (snapshot.ended - started) / (SHARE * max(each_step, 1e-9))
        return max(FIRST, min(MOST, math.ceil(wanted)))

    def forget(self, number: int) -> None:
        """Lets what is bad now be, and looks for what goes bad later."""
        del self._last[number]

    def _read(self, number: int, step: int, saved: Sequence[Any]) -> Snapshot:
        trapped = self._trapped[number]
        early = zip(trapped.saved, saved, strict=True)
        values = {each.argument: self._copied(raw) for each, raw in early if each.kind == VARIABLE}
        for argument, variable in enumerate(trapped.function.captures):
            if variable != NONE and argument not in values:
                values[argument] = trapped.read(variable)
        return Snapshot(
            step, {argument: array for argument, array in values.items() if array is not None}, time.perf_counter()
        )

    def _suspect(self, number: int, argument: int, array: Array) -> Suspect:
        name = CATALOG.variable(self._trapped[number].function.captures[argument]).name
        return suspect_of(TrapTarget(name, 0, VARIABLE, name), Measured(array))


def _finite(array: Array) -> bool:
    return array.dtype.kind not in "fcV" or bool(np.isfinite(array).all())
