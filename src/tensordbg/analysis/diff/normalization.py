"""The words of a normalization: what two of them are held against each other by."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.operations.kinds import Kind

ROOTS = frozenset({Kind.SQRT, Kind.RSQRT})
REDUCING = frozenset({Kind.MEAN, Kind.SUM, Kind.STANDARD_DEVIATION})
INSIDE, OUTSIDE = "inside the root", "outside the root"
PLACE, PARTS = "place of epsilon", "number of means"


@dataclass(frozen=True)
class Normalization:
    """A normalization, as far as it can make a difference."""

    epsilon: float
    """Zero where none is added."""
    place: str
    """Whether the epsilon is added inside or outside the root; empty where there is none."""
    correction: int | None
    """By how much less than the number of elements a variance divides; `None` where no variance is taken."""
    begins: int
    """The value from which on it computes with the epsilon: the sum with it, or the whole operation."""
    whole: bool
    """Whether it is one operation."""
    training: bool | None
    """Whether it is by statistics of the values themselves, and not by what was kept; `None` where it is always."""
    parts: int | None
    """How many means and variances are taken, each of an equal part of the values; `None` where that is not known."""
    centred: bool | None
    """Whether a mean is taken off, which a root mean square does not; `None` where that is not known."""
