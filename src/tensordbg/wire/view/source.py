"""Source files and stacks, for the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.view.records.source_margins import MadeAtLine, SourceSummary, SourceText


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
    """The operations created at one line."""

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


def line_view(line: SourceLine | None) -> LineView | None:
    """One line, if there is one."""
    return None if line is None else LineView(line.file, line.line, line.function, line.user, line.text)


def stack_view(stack: Iterable[SourceLine]) -> tuple[LineView, ...]:
    """The lines of a stack."""
    return tuple(LineView(line.file, line.line, line.function, line.user, line.text) for line in stack)


def source_list_view(sources: Iterable[SourceSummary]) -> SourceList:
    """The files that a trace holds."""
    return SourceList(tuple(SourceFileView(each.file, each.user, each.operations, each.bad) for each in sources))


def source_view(source: SourceText) -> SourceView:
    """One file with its margins."""
    margins = tuple(Margin(line, tuple(map(_operation, made))) for line, made in source.lines.items())
    return SourceView(source.file, source.text, source.changed, margins)


def _operation(made: MadeAtLine) -> OperationAtLine:
    return OperationAtLine(
        op_type=made.op_type,
        name=made.name,
        operations=made.operations,
        function=made.function,
        events=made.events,
        non_finite=made.bad,
        event=made.event,
    )
