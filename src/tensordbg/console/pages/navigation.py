"""Moving about in the pages that were shown: `/regex`, `@[i,j]`, `prev` and `next`."""

from __future__ import annotations

import re
from dataclasses import replace

from tensordbg.console.language.patterns import compile_pattern
from tensordbg.console.pages.page import Page, plain
from tensordbg.console.pages.remembered import SeenPages
from tensordbg.errors import UsageError

_AT_ONCE = 500
"""So many lines are made and searched at a time."""

_ELEMENT = re.compile(r"@\s*\[?\s*(-?\d+(?:\s*,\s*-?\d+)*|)\s*,?\s*\]?")


def navigate(pages: SeenPages, line: str) -> Page | None:
    """The page at the line that was asked for; None where the line is no command of these.

    Raises:
        UsageError: If there is no such page, line or element.
    """
    typed = line.strip()
    if typed in ("prev", "p"):
        return _moved(pages, -1, "before")
    if typed in ("next", "n"):
        return _moved(pages, 1, "after")
    if typed.startswith("/"):
        return _search(pages, typed[1:])
    if typed.startswith("@"):
        return _element(pages, typed)
    return None


def _moved(pages: SeenPages, by: int, where: str) -> Page:
    page = pages.move(by)
    if page is None:
        raise UsageError(f"there is no page {where} this one")
    return page


def _search(pages: SeenPages, pattern: str) -> Page:
    page = _shown(pages)
    if pattern:
        begin, compiled = 0, compile_pattern(pattern)
    elif page.found is not None:
        begin, compiled = page.start + 1, page.found
    else:
        raise UsageError("nothing was searched for yet; write /REGEX")
    line = find_line(page, compiled, begin)
    if line is None:
        more = "no further line" if not pattern else "no line"
        listed = page.search is not None and page.anchor is None
        where = "; of a list so long types and names are searched, `lt -f` finds numbers" if listed else ""
        raise UsageError(f"{more} of this page holds {compiled.pattern!r}{where}; `/REGEX` searches from the top")
    page = replace(page, start=line, found=compiled)
    pages.replace(page)
    return page


def find_line(page: Page, pattern: re.Pattern[str], begin: int) -> int | None:
    """The first line from `begin` on in which a pattern is found; headings do not count."""
    if page.search is not None:
        return page.search(pattern, max(begin, page.head))
    for first in range(max(begin, page.head), len(page), _AT_ONCE):
        for place, line in enumerate(page.lines(first, first + _AT_ONCE), first):
            if pattern.search(plain(line)):
                return place
    return None


def _element(pages: SeenPages, typed: str) -> Page:
    page = _shown(pages)
    match = _ELEMENT.fullmatch(typed)
    if match is None:
        raise UsageError(f"{typed!r} names no element; write @ and its place in brackets, such as @[0, 3]")
    if page.anchor is None:
        raise UsageError("this page shows no elements of a tensor; `pt` does")
    index = tuple(int(number) for number in match[1].split(",")) if match[1] else ()
    page = replace(page, start=page.anchor(index), found=None)
    pages.replace(page)
    return page


def _shown(pages: SeenPages) -> Page:
    if pages.shown is None:
        raise UsageError("no page is shown yet; type a command first")
    return pages.shown
