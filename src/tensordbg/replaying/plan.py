"""The plan of a replay."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import msgspec


@dataclass(frozen=True)
class ReplayPlan:
    """The capture to be replayed, and how."""

    capture: str
    """The capture's folder."""
    times: int = 1
    """The step is run so often, each time from the same state."""
    bisect: bool = False
    """Whether the smallest part of the batch is looked for; that part is recorded then."""
    precision: str = ""
    """The dtype in which narrower floating-point numbers are computed, `float64` or `float32`; empty as it was."""
    changes: tuple[str, ...] = ()
    """What is changed, see `tensordbg.replaying.changes`."""

    trusted: bool = False
    """Whether the step may do more than compute, such as read files, as the capture is known to be the user's own."""

    @property
    def changed(self) -> str:
        """The changes, in a few words; empty where there are none."""
        precision = [f"in {self.precision}"] if self.precision else []
        return ", ".join([*precision, *self.changes])

    def to_json(self) -> str:
        """The plan as one word, for the process that replays."""
        return msgspec.json.encode(asdict(self)).decode()

    @classmethod
    def from_json(cls, text: str) -> ReplayPlan:
        """The reverse of `to_json`."""
        return msgspec.json.decode(text, type=cls)
