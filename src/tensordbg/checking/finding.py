"""The finding of a check: a tensor that is not finite, and the inputs of the operation that made it."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.health.measured import Measured
from tensordbg.model import Frame


@dataclass(frozen=True)
class Input:
    """One input of the operation."""

    text: str
    """As the framework writes a tensor."""
    measured: Measured | None
    origin: str = ""
    """Where it comes from, such as `argument "x"`."""
    constant: bool = False
    """Whether the program writes it down."""
    truths: bool = False
    """Whether it is made of nothing but truth values and constants."""


@dataclass(frozen=True)
class Culprit:
    """The operation to fix in place of the one at which the bad number was found."""

    op_type: str
    name: str
    frames: tuple[Frame, ...]
    """Of its creation, outermost first."""

    @property
    def place(self) -> Frame | None:
        """The innermost line of the program's own code."""
        return own_line(self.frames)


@dataclass(frozen=True)
class Finding:
    """An operation that made a bad number, or took one in that nobody had checked."""

    op_type: str
    name: str
    slot: int
    outputs: int
    """Number of the operation's outputs."""
    tensor: Measured
    inputs: tuple[Input, ...]
    frames: tuple[Frame, ...]
    """Of the operation's creation, outermost first; of an eager operation the Python stack."""
    function: str = ""
    """Name of the graph; empty for an eager operation."""
    path: str = ""
    """The calls through which the graph was reached."""
    module: str = ""
    """Name of the part of the model that ran, empty where there is none or it isn't known."""
    iteration: int | None = None
    """Of the innermost loop, from 0."""
    variables: tuple[str, ...] = ()
    """Names of the variables that the operation reads."""
    forward: Culprit | None = None
    """The operation whose gradient it computes, where that is known."""
    update: Culprit | None = None
    """The update that made the variable bad which it reads, where that is known."""


def own_line(frames: tuple[Frame, ...]) -> Frame | None:
    """The innermost line of the program's own code in a stack."""
    return next((frame for frame in reversed(frames) if frame.user), None)
