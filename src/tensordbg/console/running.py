"""The program below the console: why it stands still, how it is told to go on, and what may stop it again.

`tdbg debug` implements `Runner`; on a trace without a program there is none, and commands that need one say so.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from tensordbg.console.language.filters import Filter
from tensordbg.console.pages.page import Place


class StopKind(enum.Enum):
    """Where the program stands."""

    BEFORE = "before"
    """Before a run."""
    AFTER = "after"
    """After a run."""
    ERROR = "error"
    """The run, or the program outside of runs, raised."""
    END = "end"
    """The program has ended; only `exit` is left."""


@dataclass(frozen=True)
class AtHand:
    """Something that the program computes with, in words."""

    name: str
    """In Python, or of the tensor in its graph."""
    kind: str
    """`float32[2, 3]`."""
    words: str
    """What it is."""


@dataclass(frozen=True)
class At:
    """The operation, or the line of several, that the program stands before or behind; not a whole run."""

    operation: str
    """The name of the operation; of an eager one its type."""
    function: str = ""
    """Of the graph that it is in; empty where it runs eagerly."""
    at_hand: tuple[AtHand, ...] = ()
    """What goes into it, or came out of it."""
    iteration: int | None = None
    """Of the loop that it is in."""
    in_run: bool = False
    """Whether it is part of a run."""


@dataclass(frozen=True)
class Stop:
    """Why the program stands still, and where."""

    kind: StopKind
    run: int
    """The number of the run that it stands before or after, from 1; runs that are not recorded count too."""
    call: str
    """What the run calls, such as `train_step(x, y)` or `Session.run(loss)`."""
    execution: int | None = None
    """The number in the trace of the run, once it was made and recorded."""
    reason: str = ""
    """Why it stopped here, in words; empty where it was told to."""
    filter: str = ""
    """The filter that tensors of the run pass, as it was typed, where that is why."""
    fetches: tuple[str, ...] = ()
    """What the run returns, or fetches."""
    feeds: tuple[str, ...] = ()
    """Its arguments, or the names of what is fed; tensors of the trace where they are recorded (`x:0`)."""
    exception: str = ""
    """What it raised: type and message."""
    operation: str = ""
    """The name of the operation that raised, where it is known."""
    place: Place | None = None
    """The line of the program that calls."""
    at: At | None = None
    """Where it stands before or behind an operation, and not a run."""
    since: int | None = None
    """Of a run that has no number in the trace, as its operations run one by one: that of the first of them."""
    passed: int | None = None
    """The number of the first execution whose tensors pass the filter, where that ran before the run."""


class GoKind(enum.Enum):
    """How the program goes on."""

    RUN = "run"
    """Make `times` runs, or go on until a tensor passes the filter `till`, and stop after the last."""
    STEP = "step"
    """Stop before the next run; before a line, stop behind it, and behind one in eager code before the next line."""
    CONTINUE = "continue"
    """Stop only at a breakpoint, at Ctrl-C or where something raises."""
    UNTIL = "until"
    """Stop after the first run that is called from, or computes an operation made at, the line `place`."""
    EXIT = "exit"
    """End the program, and the console."""


@dataclass(frozen=True)
class Recorded:
    """Which tensors of the runs are recorded; patterns as in `re`, empty for all."""

    node_name: str = ""
    op_type: str = ""
    dtype: str = ""


@dataclass(frozen=True)
class Go:
    """How to go on."""

    kind: GoKind
    times: int = 1
    """So many runs, of which the last is recorded (all are, where there is a filter)."""
    recorded: Recorded | None = Recorded()
    """None where nothing is recorded."""
    till: Filter | None = None
    exclude: str = ""
    """A tensor whose node's name fits this pattern does not count for `till`."""
    place: Place | None = None
    exit_code: int | None = None
    """With `EXIT`: the code that a script asks for, 0 at its end and 2 after a command that failed; else None."""


class BreakKind(enum.Enum):
    """The kind of thing that a breakpoint names."""

    OPERATION = "operation"
    FUNCTION = "function"
    LINE = "line"
    LAYER = "layer"
    FILTER = "filter"


@dataclass(frozen=True)
class Breakpoint:
    """Something that stops the program after the run that computed it, or at a line before what it computes there."""

    kind: BreakKind
    text: str
    """Name or pattern (as in `fnmatch`) of an operation, function or layer; `FILE:LINE`; or a filter."""
    condition: str = ""
    """Of a line: under which it stops the program."""


class Runner(Protocol):
    """The program that the console belongs to; asked while it stands still."""

    @property
    def stop(self) -> Stop:
        """Why it stands still, and where."""

    @property
    def executions(self) -> Mapping[int, int]:
        """The number of each run's execution in the trace, by the number of the run, for the runs recorded so far."""

    @property
    def breakpoints(self) -> dict[int, Breakpoint]:
        """Those that are set, by number from 1."""

    def add_breakpoint(self, breakpoint: Breakpoint) -> int:  # noqa: A002 - what it is
        """Sets one, and returns its number."""

    def remove_breakpoint(self, number: int) -> None:
        """Takes one away; the number is one of `breakpoints`."""

    def capture(self, function: str = "") -> str:
        """Has the next training step captured before it writes anything, or the next call of a function.

        Args:
            function: Its name, or a pattern; empty for a training step.

        Returns:
            The folder in which the capture will be.

        Raises:
            UsageError: If that can't be done; it says why.
        """
