"""The breakpoints at lines, found by the code that runs there, or by the stack of an operation."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from tensordbg.console.language.line_conditions import LineCondition, parse_line_condition
from tensordbg.console.language.statements import Statement, statements_of
from tensordbg.console.running import Breakpoint
from tensordbg.errors import UsageError
from tensordbg.model import Frame


@dataclass(frozen=True)
class LineBreak:
    """A breakpoint at a line of a file that has been met."""

    number: int
    words: str
    """`breakpoint 1 (line train.py:40 if loss > 10)`."""
    condition: LineCondition | None
    statement: Statement
    """What stands at the line; the line alone where the text is not at hand."""
    seen: set[int] = field(default_factory=set, compare=False)
    """Takes its number once the program is found at the line."""

    @property
    def is_behind(self) -> bool:
        """Whether its condition is about what the line itself computes."""
        return self.condition is not None and not self.condition.asked.isdisjoint(self.statement.gives_only)

    @property
    def asks_for_iterations(self) -> bool:
        """Whether its condition is about what a loop gives to its names in each iteration."""
        return self.is_behind and bool(self.statement.repeated)

    def is_answered_by(self, names: Container[str]) -> bool:
        """Whether some names are all that its condition asks for."""
        return self.condition is None or all(name in names for name in self.condition.asked)

    def reason(self, value_of: Callable[[str], Any]) -> str:
        """Why the program stops here, empty where its condition does not hold."""
        self.seen.add(self.number)
        if self.condition is None:
            return self.words
        try:
            return self.words if self.condition.holds(value_of) else ""
        except UsageError as error:
            # Nobody could tell what it missed.
            return f"{self.words}: {error}"


@dataclass
class LineBreaks:
    """Those that are set."""

    _by_number: dict[int, tuple[Breakpoint, LineCondition | None, str, int]] = field(default_factory=dict)
    _of_file: dict[str, tuple[LineBreak, ...]] = field(default_factory=dict)
    version: int = 0
    """Grows with each change."""
    seen: set[int] = field(default_factory=set)
    """Numbers of those at whose lines the program was found."""

    def __bool__(self) -> bool:
        return bool(self._by_number)

    def add(self, number: int, breakpoint: Breakpoint) -> None:  # noqa: A002  what it is
        """Sets one.

        Raises:
            UsageError: If its condition is not understood.
        """
        condition = parse_line_condition(breakpoint.condition) if breakpoint.condition else None
        file, _, line = breakpoint.text.rpartition(":")
        self._by_number[number] = (breakpoint, condition, file, int(line))
        self._changed()

    def remove(self, number: int) -> None:
        """Takes one away, if there is one of that number."""
        if self._by_number.pop(number, None) is not None:
            self._changed()

    def at(self, file: str, line: int) -> tuple[LineBreak, ...]:
        """Those at a line."""
        return tuple(each for each in self._known_in(file) if each.statement.first <= line <= each.statement.last)

    def loops(self, file: str, line: int) -> tuple[Statement, ...]:
        """The loops with one that a line is a part of."""
        own = (each.statement for each in self._known_in(file) if each.statement.repeated)
        return tuple(dict.fromkeys(each for each in own if each.first <= line < each.repeated.stop))

    def depth(self, frames: tuple[Frame, ...]) -> int | None:
        """Which of the frames of a stack stands at one, the innermost; None where none does."""
        for depth in range(len(frames) - 1, -1, -1):
            if self.at(frames[depth].file, frames[depth].line):
                return depth
        return None

    def _changed(self) -> None:
        self._of_file.clear()
        self.version += 1

    def _known_in(self, file: str) -> tuple[LineBreak, ...]:
        known = self._of_file.get(file)
        if known is None:
            known = self._of_file[file] = tuple(self._in_file(file))
        return known

    def _in_file(self, file: str) -> Iterable[LineBreak]:
        for number, (given, condition, wanted, line) in self._by_number.items():
            if is_file(file, wanted):
                statements = statements_of(file)
                statement = None if statements is None else statements.at(line)
                yield LineBreak(number, words(number, given), condition, statement or Statement(line, line), self.seen)

    def unseen(self) -> Iterable[str]:
        """For each one at whose line the program was never found a sentence that says so, and what to do."""
        for number, (given, _, file, line) in self._by_number.items():
            if number not in self.seen:
                statements = statements_of(file)
                statement = None if statements is None else statements.at(line)
                yield f"{words(number, given)} was never met: {_never_met(file, line, statement)}"


def _never_met(file: str, line: int, statement: Statement | None) -> str:
    pdb = f"--pdb {Path(file).name}:{line}, which stops at any line"
    if statement is None or not statement.repeated:
        return f"no operation was made or run at that line; set one at a line that computes, or use {pdb}"
    inside = f"{Path(file).name}:{statement.repeated.start}"
    return (
        "the line of a loop that Python runs computes nothing itself, and its iterations are not seen where no "
        f"operation runs in them, or while a function is traced; set one at a line in the loop, such as {inside}, or "
        f"use {pdb}"
    )


def words(number: int, given: Breakpoint) -> str:
    """The words for a breakpoint where it is the reason for a stop."""
    condition = f" if {given.condition}" if given.condition else ""
    return f"breakpoint {number} ({given.kind.value} {given.text}{condition})"


def is_file(file: str, wanted: str) -> bool:
    """Whether a file is the one that is meant by its path, or by the end of that."""
    return file == wanted or _whole(file) == wanted or file.endswith("/" + wanted.lstrip("/"))


@lru_cache(maxsize=4096)
def _whole(file: str) -> str:
    return file if file.startswith("<") else os.path.realpath(file)
