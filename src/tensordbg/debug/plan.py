"""How a program is debugged, as `tdbg debug` asks the process for it that runs the program."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from tensordbg.recording.value_filter import DEFAULT_BUDGET


@dataclass(frozen=True)
class DebugPlan:
    """The request of one debugging."""

    script: str | None = None
    """Commands with `;` between them, instead of a conversation; None for a conversation."""
    plain: bool = False
    """A prompt for lines, also where the terminal could show a full screen."""
    filters: tuple[str, ...] = ()
    """Python files whose functions become filters."""
    breaks: tuple[str, ...] = ()
    """Lines at which it stops, `FILE:LINE` or `FILE:LINE if CONDITION`."""
    budget: int = DEFAULT_BUDGET
    """Bytes that the elements of tensors may take on the disk."""

    def to_json(self) -> str:
        """The plan as one word."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> DebugPlan:
        """The reverse of `to_json`."""
        row = json.loads(text)
        return cls(**{**row, "filters": tuple(row["filters"]), "breaks": tuple(row["breaks"])})
