"""A trap that captures a step when it is asked to, whatever its numbers are, and lets all others be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tensordbg.backends.torch.trap.trapping import Trapping
from tensordbg.errors import UsageError
from tensordbg.trapping.plan import TrapPlan


class AskedTrapping(Trapping):
    """Looks at nothing until `ask` is called; then it captures the step that an optimizer makes next."""

    def __init__(self, plan: TrapPlan) -> None:
        """`plan` lets the steps be, and calls each step bad of which it is asked."""
        super().__init__(plan)
        self._asked = False
        self._started = False
        self._begun_before = False
        """Whether the step that is under way may have begun before anything was noted."""

    def ask(self, function: str = "") -> None:
        """Has the next step captured that an optimizer makes; from now on it is noted what the step computes.

        Raises:
            UsageError: If the call of a function is asked for.
        """
        if function:
            raise UsageError(
                f"a call of {function!r} can't be captured, as that is for functions of TensorFlow; `capture` alone "
                "captures the next step"
            )
        self._asked = True
        if not self._started:
            self._started = self._begun_before = True
            self.start()

    def _look_at(self, optimizer: Any) -> Iterator[str]:
        """What there is to say of a step, where it was asked for."""
        part = self._begun_before and not self._calls.number
        self._begun_before = False
        if not self._asked or part:
            return
        for said in super()._look_at(optimizer):
            self._asked = False
            yield said
