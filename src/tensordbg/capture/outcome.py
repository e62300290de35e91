"""Whether a replayed step came out as the captured one."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tensordbg.capture.header import Suspect, TensorDigest, Trouble

_CONSPICUOUS = frozenset({"loss_jump", "gradient_norm", "predicate", "asked"})
"""Kinds of trouble where all is finite."""


class Outcome(str, enum.Enum):
    """How a replay compares with what was captured."""

    SAME = "same"
    """Every tested tensor is the same, bit for bit."""
    ALIKE = "alike"
    """The same tensors are bad in the same way; the bits differ."""
    OTHER = "other"
    """Something is bad, but not the same."""
    RAISED = "raised"
    """It raised, as it did then."""
    CLEAN = "clean"
    """Nothing is bad."""


@dataclass(frozen=True)
class Reading:
    """A tensor that the trap tested, as a replay found it."""

    name: str
    """Name and slot in the function's graph."""
    role: str
    """`loss` or `gradient`."""
    variable: str
    """For a gradient the variable that it is of, empty where that is not known."""
    nan: int
    pos_inf: int
    neg_inf: int
    norm: float | None
    """The Euclidean norm of its finite elements, None where that is too large."""
    value: float | None
    """Of a scalar that is finite."""
    sha256: str
    """Of its elements."""

    @property
    def bad(self) -> bool:
        """Whether any element is not finite."""
        return bool(self.nan or self.pos_inf or self.neg_inf)


def compare(captured: Trouble, readings: Sequence[Reading]) -> Outcome:
    """Compares what was tested then and now; a step that raised then and has readings now came out clean."""
    if captured.kind == "raised":
        return Outcome.CLEAN
    if set(captured.tested) == {_digest(each) for each in readings}:
        return Outcome.SAME
    kinds = _kinds(each for each in readings if each.bad)
    if not kinds:
        return Outcome.ALIKE if _as_large(captured, readings) else Outcome.CLEAN
    return Outcome.ALIKE if kinds == _kinds(captured.suspects) else Outcome.OTHER


def _as_large(captured: Trouble, readings: Sequence[Reading]) -> bool:
    """Whether a step that is finite is as conspicuous as the captured one: its loss, or the norm of its gradients."""
    by_norm = captured.kind == "gradient_norm"
    then = captured.numbers.get("gradient_norm" if by_norm else "loss", 0.0)
    norms = [each.norm or 0.0 for each in readings if each.role == "gradient"]
    losses = [each.value or 0.0 for each in readings if each.role == "loss"]
    now = math.hypot(*norms) if by_norm else max(losses, default=0.0)
    return captured.kind in _CONSPICUOUS and now >= then / 2 > 0


def finite_or_none(number: float) -> float | None:
    """The number, if it is one that JSON has."""
    return number if math.isfinite(number) else None


def _digest(reading: Reading) -> TensorDigest:
    return TensorDigest(reading.name, reading.role, reading.variable, reading.sha256)


def _kinds(bad: Iterable[Suspect | Reading]) -> set[tuple[str, bool, bool, bool]]:
    return {(each.name, each.nan > 0, each.pos_inf > 0, each.neg_inf > 0) for each in bad}
