"""The results of the replays of a capture: `replay.json` in the folder of their trace."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from tensordbg.capture.outcome import Outcome, Reading
from tensordbg.errors import CaptureError
from tensordbg.json_input import refuse_deep
from tensordbg.opening import read_whole

REPLAY_FILE = "replay.json"

_MOST_BYTES = 2**26


@dataclass(frozen=True)
class ReplayedStep:
    """One run of the step, from the state before it."""

    outcome: Outcome
    readings: tuple[Reading, ...]
    """What the trap had tested."""

    @property
    def digests(self) -> tuple[tuple[str, str], ...]:
        """Equal for runs that came out the same bit for bit."""
        return tuple((each.name, each.sha256) for each in self.readings)


@dataclass(frozen=True)
class Bisected:
    """The smallest part of the batch that still goes wrong."""

    inputs: tuple[str, ...]
    """Names of the inputs whose first dimension was divided."""
    rows: int
    """How many rows the batch has."""
    smallest: tuple[int, ...]
    """Numbers of the rows; empty where even the whole batch went well."""
    alone: tuple[int, ...]
    """All rows that go wrong alone, where the smallest part is one row."""
    refilled: bool
    """Whether rows were not left out but replaced by others, since the function takes one size of batch only."""
    runs: int
    """How often the step was run for it."""
    stand_ins: tuple[int, ...] = ()
    """The rows that replaced others, in turn: those with which all goes well; empty where the rows under test did."""


@dataclass(frozen=True)
class Replayed:
    """All that came of it."""

    capture: str
    """The capture's folder."""
    runs: tuple[ReplayedStep, ...]
    random: tuple[str, ...] = ()
    """Operations that draw random numbers from a state that is not captured."""
    notes: tuple[str, ...] = ()
    """What else should be known."""
    bisected: Bisected | None = None
    ruined: tuple[str, ...] = ()
    """Names of the variables that the last run left with something that is not finite."""
    moved: float | None = None
    """The Euclidean norm of the last run's change of all variables that are trained, None where it is not finite."""
    uncompiled: bool = False
    """Whether it ran operations one by one that ran in compiled code."""


def write_replayed(folder: Path, replayed: Replayed) -> None:
    """Writes it into the folder of a trace.

    Raises:
        OSError: If it can't be written.
    """
    (folder / REPLAY_FILE).write_bytes(msgspec.json.encode(asdict(replayed)))


def read_replayed(folder: Path) -> Replayed:
    """Reads it from the folder of a trace.

    Raises:
        CaptureError: If it is missing or damaged.
    """
    path = folder / REPLAY_FILE
    try:
        content = read_whole(path, _MOST_BYTES)
        refuse_deep(content.decode())
        return msgspec.json.decode(content, type=Replayed)
    except (OSError, ValueError, msgspec.DecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CaptureError(f"{path} can't be read: {reason}; replay the capture again") from None
