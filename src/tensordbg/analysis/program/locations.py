"""Stacks with the text of their lines, and the line of the user's own code."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.description import Program

_NEIGHBOURS = 3


class Locations:
    """Looks up source lines."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._lines: dict[str, list[str]] = {}

    def stack(self, number: int) -> tuple[SourceLine, ...]:
        """The lines of a stack, outermost first."""
        return tuple(
            SourceLine(frame.file, frame.line, frame.function, frame.user, self._text(frame.file, frame.line))
            for frame in self._program.stacks.get(number, ())
        )

    def line(self, file: str, line: int, function: str, user: bool) -> SourceLine:
        """A line that may be in no stack, such as that of a definition."""
        return SourceLine(file, line, function, user, self._text(file, line))

    def own(self, stack: tuple[SourceLine, ...]) -> SourceLine | None:
        """The innermost line of the user's own code, with its neighbours."""
        for line in reversed(stack):
            if line.user:
                lines = self._of(line.file)
                before = lines[max(0, line.line - 1 - _NEIGHBOURS) : max(0, line.line - 1)]
                after = lines[line.line : line.line + _NEIGHBOURS]
                whole = "".join(lines[line.line - 1 : line.line]).expandtabs()
                indent = len(whole) - len(whole.lstrip())
                return replace(line, before=tuple(before), after=tuple(after), indent=indent)
        return None

    def _text(self, file: str, line: int) -> str:
        lines = self._of(file)
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def _of(self, file: str) -> list[str]:
        if file not in self._lines:
            self._lines[file] = self._program.sources.get(file, "").splitlines()
        return self._lines[file]
