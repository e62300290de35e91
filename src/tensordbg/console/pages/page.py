"""A page of lines, with which a command answers; they are made as they are looked at, so none is too long to scroll."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from tensordbg.controls import escaped

Style = Literal["", "title", "heading", "bad", "good", "dim", "bold", "highlight", "link"]
"""What a span means; each face gives it a look of its own. A span with a command can be chosen, whatever its style."""


@dataclass(frozen=True)
class Span:
    """A piece of a line."""

    text: str
    """Without line breaks; control characters become escapes."""
    style: Style = ""
    command: str = ""
    """What choosing the span types, such as `pt Log:0`; empty where it can't be chosen."""

    def __post_init__(self) -> None:
        if not self.text.isprintable():  # mostly nothing is to be done
            object.__setattr__(self, "text", escaped(self.text))


Line = tuple[Span, ...]


class Lines(Protocol):
    """Lines that are made when they are asked for."""

    def __len__(self) -> int:
        """How many there are; known at once."""

    def part(self, begin: int, end: int) -> Sequence[Line]:
        """The lines from `begin` up to and without `end`; fewer at the end."""


@dataclass(frozen=True)
class Place:
    """A line of a source file."""

    file: str
    line: int


@dataclass(frozen=True)
class Page:
    """An answer."""

    title: str
    body: Lines
    head: int = 0
    """So many of the first lines are headings, which stay in sight where the rest is scrolled."""
    command: str = ""
    """The line that it answers, as it was typed."""
    mood: Literal["", "bad"] = ""
    """`bad` where it tells of something that went wrong."""
    event: int | None = None
    """The number of the tensor event that it tells of, if it is one."""
    place: Place | None = None
    """The source line that it tells of."""
    start: int = 0
    """The line to show first."""
    found: re.Pattern[str] | None = None
    """What was searched for, found first in the line `start`; faces highlight it wherever it is in sight."""
    search: Callable[[re.Pattern[str], int], int | None] | None = None
    """The first line from a number on that holds a pattern, where there is a quicker way than to make all lines."""
    anchor: Callable[[tuple[int, ...]], int] | None = None
    """The line of an element, for `@[i,j]`; it raises `UsageError` where there is no such element."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", escaped(self.title))

    def __len__(self) -> int:
        return len(self.body)

    def lines(self, begin: int, end: int) -> Sequence[Line]:
        """The lines from `begin` up to and without `end`; fewer at the end."""
        return self.body.part(max(begin, 0), min(end, len(self.body)))


@dataclass(frozen=True)
class FixedLines:
    """Lines that are there already."""

    all_lines: tuple[Line, ...]

    def __len__(self) -> int:
        return len(self.all_lines)

    def part(self, begin: int, end: int) -> Sequence[Line]:
        """See `Lines`."""
        return self.all_lines[begin:end]


@dataclass(frozen=True)
class MadeLines:
    """Lines that a function makes, from the first to the one before the last that it is asked for."""

    count: int
    make: Callable[[int, int], Sequence[Line]]

    def __len__(self) -> int:
        return self.count

    def part(self, begin: int, end: int) -> Sequence[Line]:
        """See `Lines`."""
        return self.make(begin, end) if begin < end else ()


@dataclass(frozen=True)
class JoinedLines:
    """Several bodies, one below the other."""

    parts: tuple[Lines, ...]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def part(self, begin: int, end: int) -> Sequence[Line]:
        """See `Lines`."""
        found: list[Line] = []
        first = 0
        for each in self.parts:
            low, high = max(begin - first, 0), min(end - first, len(each))
            if low < high:
                found += each.part(low, high)
            first += len(each)
        return found


def plain(line: Line) -> str:
    """A line as text."""
    return "".join(span.text for span in line)


def texts(page: Page, step: int = 1000) -> Iterator[str]:
    """All lines of a page as text, made some at a time."""
    for begin in range(0, len(page), step):
        yield from map(plain, page.lines(begin, begin + step))
