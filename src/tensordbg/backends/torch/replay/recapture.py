"""Captures a step as the program has it now, with the inputs and the variables of an earlier capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tensordbg.backends.torch.trap.asked import AskedTrapping
from tensordbg.capture.header import TensorDigest, Trouble
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array
from tensordbg.trapping.plan import TrapPlan
from tensordbg.trapping.rules import AskedRules
from tensordbg.trapping.targets import TrapTarget


class Recapturing(AskedTrapping):
    """Captures the step that begins now, and ends the program before it writes anything."""

    def __init__(self, capture: Capture, folder: Path) -> None:
        """Prepares.

        Args:
            capture: The earlier one, whose trouble the new one is held against.
            folder: The one in which the new one is made.
        """
        super().__init__(TrapPlan(folder, rules=AskedRules()))
        self._earlier = capture.header.trouble

    def begin(self) -> None:
        """Notes all that the step computes from now on."""
        self.ask()

    def _trouble(self, step: Any, kept: Sequence[tuple[TrapTarget, Array]], good: bool) -> Trouble:  # noqa: ARG002
        tested = tuple(TensorDigest(target.name, target.role, target.variable, "") for target, _ in kept)
        return replace(self._earlier, tested=tested)

    def _test(self, optimizer: Any) -> None:
        said: list[str] = []
        with self._guard("capturing the step"):
            said += self._look_at(optimizer)
        if said:
            raise SystemExit(0)
