"""Abilities by framework: the words for users, made from the roles of the backends.

The table in `docs/frameworks.md` is `support_table()`; a test holds them equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from tensordbg.recording.backend import (
    Backend,
    Check,
    Debug,
    Lines,
    Record,
    Replay,
    StepCalls,
    Trap,
    Unsupported,
    backends,
)

Role = TypeVar("Role")


@dataclass(frozen=True)
class Ability(Generic[Role]):
    """One thing that users ask for, and the role of a backend that it needs."""

    command: str
    """How users ask for it."""
    does: str
    """What it does, for the table."""
    of: Callable[[Backend], Role | Unsupported]

    def refusal(self, backend: Backend, missing: Unsupported) -> str:
        """Why it can't be had with a framework, and what to do instead, in one line."""
        return f"{self.command} can't be used with {backend.title}: {missing.reason}; {missing.instead}"

    def offers(self) -> Iterator[tuple[Backend, Role]]:
        """The backends that can do it, with their roles."""
        for backend in backends():
            role = self.of(backend)
            if not isinstance(role, Unsupported):
                yield backend, role


RECORD: Ability[Record] = Ability("`tdbg run`", "records every tensor", lambda backend: backend.record)
CHECK: Ability[Check] = Ability(
    "`tdbg run --check`", "ends the program at the first number that is not finite", lambda backend: backend.check
)
LINES: Ability[Lines] = Ability(
    "`tdbg run --pdb`", "stops at a line, with tensors in hand", lambda backend: backend.lines
)
DEBUG: Ability[Debug] = Ability("`tdbg debug`", "stops before and behind each run", lambda backend: backend.debug)
TRAP: Ability[Trap] = Ability("`tdbg trap`", "captures a bad step before it writes", lambda backend: backend.trap)
REPLAY: Ability[Replay] = Ability("`tdbg replay`", "runs a captured step again", lambda backend: backend.replay)
STEP_CALLS: Ability[StepCalls] = Ability(
    "`tdbg replay --eager`",
    "runs it again by its own program; also `--pdb`, `--patch`",
    lambda backend: backend.step_calls,
)

ABILITIES = (RECORD, CHECK, LINES, DEBUG, TRAP, REPLAY, STEP_CALLS)
"""In the order of the table."""


def support_table() -> str:
    """Returns the table for the manual, in Markdown."""
    known = backends()
    head = ["", *(backend.title for backend in known)]
    rows = [
        [f"{ability.command} {ability.does}", *(_cell(ability.of(backend)) for backend in known)]
        for ability in ABILITIES
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---"] * len(head), *rows))


def _cell(role: object) -> str:
    if not isinstance(role, Unsupported):
        return "yes"
    return f"no: {role.reason}; {role.instead}"
