"""The program's places for operations that a replay runs: each runs from a line of code of its own.

The code is nothing but a call of ours; its line is the number of the operation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from tensordbg.recording.catalog import RawFrame

_FILE = "<captured step "


@dataclass
class Place:
    """The place of an operation of a captured step."""

    name: str
    stack: int
    """Its number in the catalog."""
    frames: Sequence[RawFrame]
    """The innermost first."""
    user: Sequence[RawFrame]
    """Those of the program's own code."""
    of: Callable[[], int]
    """Gives the site of the operation whose gradient it is part of, as the observer wants it."""
    place: int
    autocast: str
    inputs: Mapping[int, str] = field(default_factory=dict)
    """The program's names for what it takes from outside of the step, by their places among its inputs."""
    came: Mapping[int, str] = field(default_factory=dict)
    """How that came, by the same places; see `BEFORE_STEP`."""
    code: CodeType | None = field(default=None)
    site: int = -1
    """Known once it has run under recording."""

    @property
    def forward(self) -> int:
        """The site of the operation whose gradient it is part of, -1 of what is no gradient."""
        return self.of()


_numbers = itertools.count()
_known: dict[str, Sequence[Place]] = {}


def keep(places: Sequence[Place]) -> None:
    """Gives each its line of code."""
    file = f"{_FILE}{next(_numbers)}>"
    _known[file] = places
    for line, place in enumerate(places, 1):
        # Nothing of a capture stands in the text of the code.
        place.code = compile("\n" * (line - 1) + "run()", file, "exec")


def run_at(place: Place, run: Callable[[], Any]) -> None:
    """Runs something from the line of a place."""
    assert place.code is not None
    exec(place.code, {"run": run})


def replayed_place(frames: Sequence[RawFrame]) -> Place | None:
    """The place that frames lead to, None of code that is no replay."""
    if not _known:
        return None
    for file, line, _ in frames:
        if file in _known:
            return _known[file][line - 1]
    return None


def note_site(place: Place | None, op_type: str, site: int) -> None:
    """Notes the site of the operation that runs from a place."""
    if place is not None and place.name == op_type:
        place.site = site
