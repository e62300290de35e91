"""How a captured step is run by its own program: what goes to the process that does it."""

from __future__ import annotations

import enum
from dataclasses import asdict, dataclass

import msgspec


class Way(str, enum.Enum):
    """The fate of the program's first call of the captured function."""

    RECORD = "record"
    """Its Python function runs eagerly on what was captured, and is recorded."""
    PDB = "pdb"
    """It runs eagerly under Python's debugger."""
    DAP = "dap"
    """It runs eagerly under a debugger that an editor attaches to."""
    CAPTURE = "capture"
    """It is traced, and captured with what was captured before: the step as the program has it now."""


@dataclass(frozen=True)
class Patched:
    """A source file that another takes the place of."""

    file: str
    """As the capture names it."""
    by: str


@dataclass(frozen=True)
class ProgramReplay:
    """The program to be run, and how."""

    capture: str
    """The capture's folder."""
    way: Way
    place: str = ""
    """The folder of the trace, or the one in which the capture is made."""
    file: str = ""
    """The source file in which to stop."""
    line: int = 0
    port: int = 0
    """On which an editor attaches."""
    patched: Patched | None = None

    def to_json(self) -> str:
        """The plan as one word, for the process that runs the program."""
        return msgspec.json.encode(asdict(self)).decode()

    @classmethod
    def from_json(cls, text: str) -> ProgramReplay:
        """The reverse of `to_json`."""
        return msgspec.json.decode(text, type=cls)
