"""Targets of a trap: tensors by their role in a step."""

from __future__ import annotations

from dataclasses import dataclass

LOSS = "loss"
GRADIENT = "gradient"
VARIABLE = "variable"
SCALE = "scale"
RATE = "learning_rate"
REDUCED = "reduced"
RESULT = "result"
BEGINNING = "beginning"
"""What a tensor is that is tested; a variable where the program itself says where its step ends, `reduced` for what
came of gradients in an exchange with other processes, a result of a function whose call was asked for, `beginning` for
what stands for the beginning of such a call."""

ROLES = (LOSS, GRADIENT, SCALE, RATE, REDUCED, VARIABLE, RESULT, BEGINNING)
"""The order in which a trap is given what it tests."""

LOWEST_SCALE = 1.0
"""With a scale of the loss up to this one an overflow is no matter of the scale."""


@dataclass(frozen=True)
class TrapTarget:
    """A tensor of a graph that is tested."""

    operation: str
    """Name in the graph."""
    slot: int
    role: str
    variable: str
    """Of a gradient, empty where it is not known."""

    @property
    def name(self) -> str:
        """Name and slot in the graph."""
        return f"{self.operation}:{self.slot}"
