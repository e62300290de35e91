"""A past that a test draws: tensors, each with what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.finding import SourceLine


@dataclass
class Drawn:
    """The past."""

    of: dict[object, Sequence[Made | None]] = field(default_factory=dict)
    numbers: count[int] = field(default_factory=count)

    def made(
        self,
        op_type: str,
        shape: Sequence[int] = (),
        *inputs: Made | None,
        dtype: str = "float32",
        span: tuple[float, float] | None = None,
        total: float | None = None,
    ) -> Made:
        """A tensor; its operation stands in a line of its own."""
        number = next(self.numbers)
        low, high = span or (None, None)
        line = SourceLine("/me/train.py", number + 1, "step", True, op_type)
        self.of[number] = inputs
        return Made(number, f"{op_type}:0", op_type, dtype, tuple(shape), line, low, high, total)

    def inputs(self, made: Made) -> Sequence[Made | None]:
        """What it was made of."""
        return self.of[made.key]
