"""A trap that captures a step when it is asked to, whatever its numbers are, and lets all others be."""

from __future__ import annotations

from typing import Any

from tensordbg.backends.tensorflow.trap import Trapping, set_trap
from tensordbg.recording.trap_plan import TrapPlan


class AskedTrapping(Trapping):
    """Tests nothing until `ask` is called; then it captures the next step."""

    def __init__(self, plan: TrapPlan) -> None:
        """`plan` lets the steps be, and calls each step bad of which it is asked."""
        super().__init__(plan)
        self._asked = False

    def ask(self) -> None:
        """Has the next step captured that computes gradients."""
        self._asked = True

    def warn(self, message: str) -> None:
        """Says nothing: that functions run without XLA's compilation is said by who records them."""

    def _decide(self, *step: Any) -> str | bool | None:
        return super()._decide(*step) if self._take() else None

    def _judge_eager(self, *step: Any) -> str | bool | None:
        return super()._judge_eager(*step) if self._take() else None

    def _take(self) -> bool:
        asked, self._asked = self._asked, False
        return asked


def start_asked_trap(plan: TrapPlan) -> AskedTrapping:
    """Sets one; a trap that is set already is taken away."""
    return set_trap(AskedTrapping(plan))
