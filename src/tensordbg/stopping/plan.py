"""Where a program is to stop for a debugger: what goes to the process that runs it."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec


@dataclass(frozen=True)
class StopPlace:
    """A line of the program at which it stops."""

    file: str
    """An absolute path, or the end of one: of a file that the program imports from wherever it lies."""
    line: int
    condition: str = ""
    """An expression of the program's own names; empty to stop each time."""

    def is_of(self, file: str) -> bool:
        """Whether a source file, by its whole path, is the one that is meant."""
        if Path(file).name != Path(self.file).name:
            return False
        if Path(self.file).is_absolute():
            return os.path.realpath(file) == os.path.realpath(self.file)
        return file.endswith(f"/{self.file}")


@dataclass(frozen=True)
class StopPlan:
    """All places, and by what the program is looked into there."""

    places: tuple[StopPlace, ...]
    port: int = 0
    """Where an editor attaches, 0 for pdb."""

    def to_json(self) -> str:
        """The plan as one word, for the process that runs the program."""
        return msgspec.json.encode(asdict(self)).decode()

    @classmethod
    def from_json(cls, text: str) -> StopPlan:
        """The reverse of `to_json`."""
        return msgspec.json.decode(text, type=cls)
