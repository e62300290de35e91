"""The links of a page: spans that can be chosen, in the order in which one reads, and the way from one to the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len

from tensordbg.console.pages.page import Line, Page

_REACH = 5000
"""So many lines are looked at for the next link; a page without one would be read whole otherwise."""
_PART = 100


@dataclass(frozen=True, order=True)
class Link:
    """A span that can be chosen."""

    line: int
    span: int


def command_of(page: Page, link: Link) -> str:
    """The command that choosing a link types."""
    return page.lines(link.line, link.line + 1)[0][link.span].command


def link_at(line: Line, number: int, column: int) -> Link | None:
    """The link in a column of the line of that number, if there is one."""
    begin = 0
    for span, each in enumerate(line):
        end = begin + cell_len(each.text)
        if begin <= column < end:
            return Link(number, span) if each.command else None
        begin = end
    return None


def columns_of(line: Line, link: Link) -> tuple[int, int]:
    """The columns that a link takes in its line."""
    begin = sum(cell_len(each.text) for each in line[: link.span])
    return begin, begin + cell_len(line[link.span].text)


def following(page: Page, line: int, span: int = -1) -> Link | None:
    """The first link behind a span; none where the next one is far."""
    return next((link for link in _down(page, line) if link > Link(line, span)), None)


def preceding(page: Page, line: int, span: int = 0) -> Link | None:
    """The last link before a span; none where it is far."""
    return next((link for link in _up(page, line) if link < Link(line, span)), None)


def below(page: Page, link: Link) -> Link | None:
    """The link of the next line that has any, at the same place from the left or the last."""
    return _beside(page, link, following(page, link.line + 1))


def above(page: Page, link: Link) -> Link | None:
    """The link of the line before that has any, at the same place from the left or the last."""
    return _beside(page, link, preceding(page, link.line))


def _beside(page: Page, link: Link, found: Link | None) -> Link | None:
    if found is None:
        return None
    here = _of_line(page.lines(link.line, link.line + 1)[0], link.line)
    there = _of_line(page.lines(found.line, found.line + 1)[0], found.line)
    return there[min(here.index(link), len(there) - 1)]


def _of_line(line: Line, number: int) -> list[Link]:
    return [Link(number, span) for span, each in enumerate(line) if each.command]


def _down(page: Page, line: int) -> Iterator[Link]:
    for begin in range(line, min(line + _REACH, len(page)), _PART):
        for number, each in enumerate(page.lines(begin, begin + _PART), begin):
            yield from _of_line(each, number)


def _up(page: Page, line: int) -> Iterator[Link]:
    for end in range(line + 1, max(line + 1 - _REACH, 0), -_PART):
        begin = max(end - _PART, 0)
        for number, each in reversed(list(enumerate(page.lines(begin, end), begin))):
            yield from reversed(_of_line(each, number))
