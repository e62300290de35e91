"""Captures a step of the program that is debugged, for `tdbg replay`: the next one, before it writes its variables."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tensordbg.errors import UsageError
from tensordbg.recording.backend import AskedTrap, Trap
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.support import TRAP
from tensordbg.trapping.plan import OnBad, TrapPlan
from tensordbg.trapping.rules import AskedRules

_MOST = 10_000


class StepCapture:
    """The traps of the frameworks that the program has imported."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where captures go; it is made when it is needed."""
        self._folder = folder
        self._traps: list[AskedTrap] = []

    def install(self) -> None:
        """Sets a trap in each framework, also in those that are imported later."""
        plan = TrapPlan(self._folder, OnBad.RECORD, most=_MOST, rules=AskedRules())
        ImportWatch({backend.framework: partial(self._start, role, plan) for backend, role in TRAP.offers()}).start()

    def _start(self, role: Trap, plan: TrapPlan) -> None:
        self._traps.append(role.start_asked(plan))

    def ask(self, function: str = "") -> Path:
        """Has the next training step captured, or the next call of a function.

        Args:
            function: Its name, or a pattern; empty for a training step.

        Returns:
            The folder of captures.

        Raises:
            UsageError: If there is nothing to be captured, or nowhere to keep it.
        """
        if not self._traps:
            raise UsageError("the program has not imported a framework whose steps can be captured; go on with `run`")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"{self._folder}: no captures can be kept here ({error.strerror}); start in another folder"
            ) from None
        for trap in self._traps:
            trap.ask(function)
        return self._folder
