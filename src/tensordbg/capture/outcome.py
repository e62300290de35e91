"""Whether a replayed step came out as the captured one."""

from __future__ import annotations

import enum

from tensordbg.capture.header import Suspect, Trouble


class Outcome(str, enum.Enum):
    """How a replay compares with what was captured."""

    SAME = "same"
    """Every tested tensor is the same, bit for bit."""
    ALIKE = "alike"
    """The same tensors are bad in the same way; the bits differ."""
    OTHER = "other"
    """Something is bad, but not the same."""
    CLEAN = "clean"
    """Nothing is bad."""


def compare(captured: Trouble, replayed: Trouble | None) -> Outcome:
    """Compares what was bad then and now; None where nothing is bad now."""
    if replayed is None:
        return Outcome.CLEAN
    if captured.tested == replayed.tested:
        return Outcome.SAME
    return Outcome.ALIKE if _kinds(captured) == _kinds(replayed) else Outcome.OTHER


def _kinds(trouble: Trouble) -> set[tuple[str, bool, bool, bool]]:
    return {_kind(suspect) for suspect in trouble.suspects}


def _kind(suspect: Suspect) -> tuple[str, bool, bool, bool]:
    return suspect.name, suspect.nan > 0, suspect.pos_inf > 0, suspect.neg_inf > 0
