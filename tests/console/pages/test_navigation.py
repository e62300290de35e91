from __future__ import annotations

import re

import pytest

from tensordbg.console.pages.navigation import find_line, navigate
from tensordbg.console.pages.page import FixedLines, MadeLines, Page, Span
from tensordbg.console.pages.remembered import SeenPages
from tensordbg.errors import UsageError

LONG = Page("", MadeLines(10_000, lambda begin, end: [(Span(f"line {k}"),) for k in range(begin, end)]))


def pages_with(page: Page) -> SeenPages:
    pages = SeenPages()
    pages.add(page)
    return pages


def at(pages: SeenPages, line: str) -> int:
    page = navigate(pages, line)
    assert page is not None
    return page.start


def test_a_pattern_is_found_and_then_found_again() -> None:
    pages = pages_with(LONG)
    assert at(pages, r"/77\d7") == 7707
    assert at(pages, "/") == 7717
    assert pages.shown is not None
    assert pages.shown.found == re.compile(r"77\d7")
    with pytest.raises(UsageError, match="no line of this page holds 'nothing'"):
        navigate(pages, "/nothing")


def test_after_the_last_there_is_no_further() -> None:
    pages = pages_with(LONG)
    assert at(pages, "/9999") == 9999
    with pytest.raises(UsageError, match="no further line of this page holds '9999'"):
        navigate(pages, "/")


def test_headings_do_not_count() -> None:
    page = Page("", FixedLines(((Span("name"),), (Span("a"),), (Span("name b"),))), head=1)
    assert find_line(page, re.compile("name"), 0) == 2


def test_a_page_may_search_itself() -> None:
    page = Page("", LONG.body, search=lambda pattern, begin: 5 if pattern.pattern == "five" and begin <= 5 else None)
    assert at(pages_with(page), "/five") == 5


@pytest.mark.parametrize(
    ("typed", "index"), [("@[1,2]", (1, 2)), ("@1, -2", (1, -2)), ("@ [ 3 ]", (3,)), ("@[4,]", (4,)), ("@[]", ())]
)
def test_an_element_is_named_by_its_place(typed: str, index: tuple[int, ...]) -> None:
    asked = []

    def anchor(place: tuple[int, ...]) -> int:
        asked.append(place)
        return 9

    assert at(pages_with(Page("", LONG.body, anchor=anchor)), typed) == 9
    assert asked == [index]


@pytest.mark.parametrize(
    ("typed", "message"),
    [("@x", "names no element"), ("@[0]", "shows no elements"), ("/(", "no regular expression"), ("/", "nothing was")],
)
def test_what_can_not_be_done_is_said_so(typed: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        navigate(pages_with(LONG), typed)


def test_other_lines_are_not_its_own() -> None:
    assert navigate(SeenPages(), "lt") is None
    with pytest.raises(UsageError, match="no page is shown yet"):
        navigate(SeenPages(), "/a")
