"""Source files and stacks, for the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LineView:
    """One line of a source file, mostly a frame of a stack."""

    file: str
    line: int
    """From 1."""
    function: str
    user: bool
    """Whether it is the user's own code."""
    text: str
    """Empty where the trace does not hold it."""


@dataclass(frozen=True)
class OperationAtLine:
    """Operations of one kind and function that a line created, in the margin of the source."""

    op_type: str
    name: str
    """Of the first of them."""
    operations: int
    function: str
    events: int
    non_finite: int
    event: int | None
    """The first event that is not finite, else the first at all."""


@dataclass(frozen=True)
class Margin:
    """What was created at one line."""

    line: int
    operations: tuple[OperationAtLine, ...]


@dataclass(frozen=True)
class SourceView:
    """The text of a file as it was when the program ran, with what its lines created."""

    file: str
    text: str
    changed: bool
    """Whether the file on this machine is another by now, or gone."""
    margins: tuple[Margin, ...]


@dataclass(frozen=True)
class SourceFileView:
    """A file that the trace holds."""

    file: str
    user: bool
    operations: int
    non_finite: int
    """How many of its operations computed something that is not finite."""


@dataclass(frozen=True)
class SourceList:
    """All files that the trace holds, the user's first."""

    files: tuple[SourceFileView, ...]
