"""Rules for a step that is bad beside a loss or a gradient that is not finite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tensordbg.errors import UsageError

LOSS_JUMP = "loss_jump"
GRADIENT_NORM = "gradient_norm"
PREDICATE = "predicate"
ASKED = "asked"
RAISED = "raised"
"""A call that was asked for and did not return."""


@dataclass(frozen=True)
class StepReading:
    """The reading of a step, before it writes anything."""

    function: str
    step: int
    """How many steps this function had been tested in before."""
    loss: float
    """The sum of all losses, each by the mean of its elements; NaN where there is none."""
    gradient_norm: float
    """The Euclidean norm of all gradients together; where they are scaled, of what they are without."""
    loss_score: float = 0.0
    """How far the loss lies above the median of the last ones; see `StepRules.loss_jump`."""

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers by their names."""
        return {"loss": self.loss, "gradient_norm": self.gradient_norm, "loss_score": self.loss_score}


@dataclass(frozen=True)
class StepRules:
    """The rules of a trap.

    Raises:
        UsageError: If a limit is negative, or the window holds less than 20 losses.
    """

    loss_jump: float = 0.0
    """A step is bad whose loss lies so many deviations above the median of the last ones, by the modified z-score of
    Iglewicz and Hoaglin, "How to Detect and Handle Outliers" (1993), who call 3.5 an outlier; 0 for no such rule."""
    loss_window: int = 100
    """So many losses are looked back at; nothing is said before there are 20."""
    gradient_norm: float = 0.0
    """A step is bad whose gradients have a larger norm; 0 for no such rule."""
    predicate: Callable[[StepReading], bool] | None = None
    """Is asked in every step, and says whether it is bad."""

    def __post_init__(self) -> None:
        for name, limit in (("loss_jump", self.loss_jump), ("gradient_norm", self.gradient_norm)):
            if not limit >= 0:
                raise UsageError(f"{name} is {limit}, but must be a positive number, or 0 for no such rule; choose one")
        if self.loss_window < 20:
            raise UsageError(
                f"loss_window is {self.loss_window}, but a median needs 20 losses or more; give a larger one"
            )

    @property
    def any(self) -> bool:
        """Whether there is a rule at all."""
        return bool(self.loss_jump or self.gradient_norm or self.predicate)

    def broken_by(self, reading: StepReading) -> str:
        """The first rule by which a step is bad, empty if it is good."""
        if self.gradient_norm and reading.gradient_norm > self.gradient_norm:
            return GRADIENT_NORM
        if self.loss_jump and reading.loss_score > self.loss_jump:
            return LOSS_JUMP
        if self.predicate is not None and self.predicate(reading):
            return PREDICATE
        return ""


@dataclass(frozen=True)
class AskedRules(StepRules):
    """Those of a trap that is asked to capture a step: whatever its numbers are."""

    predicate: Callable[[StepReading], bool] | None = lambda _: True

    def broken_by(self, reading: StepReading) -> str:
        """See `StepRules`."""
        return ASKED if super().broken_by(reading) else ""
