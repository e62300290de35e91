"""Readings of eager steps as a whole: the loss, the norm of the gradients, how far the loss is from the last ones."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from tensordbg import _native
from tensordbg.capture.tensors import Array
from tensordbg.trapping.rules import StepReading, StepRules
from tensordbg.trapping.targets import GRADIENT, LOSS


class ReadStep(Protocol):
    """A step that has been run."""

    @property
    def name(self) -> str:
        """The function's, or the model's."""

    @property
    def number(self) -> int:
        """How many steps of that name came before."""

    @property
    def scale(self) -> Any:
        """By what the loss was multiplied before it was differentiated; None or 0 for not at all."""


class Readings:
    """Reads steps, and remembers the losses of those that were good."""

    def __init__(self, rules: StepRules) -> None:
        """Remembers none."""
        self._rules = rules
        self._windows: dict[str, deque[float]] = {}

    def read(self, step: ReadStep, tested: Iterable[tuple[str, Array]]) -> StepReading | None:
        """Reads a step, of whose losses and gradients `tested` has the roles and the elements.

        None where there is no rule, or not all is known that the rules look at.
        """
        if not self._rules.any:
            return None
        arrays = [(role, array.astype(np.float64)) for role, array in tested]
        losses = [array.mean() for role, array in arrays if role == LOSS]
        if not losses:
            return None
        squares = sum(float(np.sum(np.square(array))) for role, array in arrays if role == GRADIENT)
        loss = float(sum(losses))
        score = _native.loss_score(list(self._window(step.name)), loss) if self._rules.loss_jump else 0.0
        return StepReading(step.name, step.number, loss, math.sqrt(squares) / (step.scale or 1.0), score)

    def remember(self, reading: StepReading) -> None:
        """Takes the loss of a good step."""
        self._window(reading.function).append(reading.loss)

    def _window(self, function: str) -> deque[float]:
        return self._windows.setdefault(function, deque(maxlen=self._rules.loss_window))
