from __future__ import annotations

from tensordbg.console.fullscreen.links import Link, above, below, columns_of, command_of, following, link_at, preceding
from tensordbg.console.pages.page import FixedLines, Line, MadeLines, Page, Span


def line(*words: str) -> Line:
    """A word that begins with `!` can be chosen."""
    return tuple(Span(word.removeprefix("!"), command=f"pt {word[1:]}" if word[0] == "!" else "") for word in words)


PAGE = Page("", FixedLines((line("a "), line("!bb", " ", "!c"), (), line("d "), line("!e"), line("!f", " ", "!g"))))


def test_following_goes_in_the_order_of_reading() -> None:
    found = [following(PAGE, 0)]
    while (last := found[-1]) is not None:
        found.append(following(PAGE, last.line, last.span))
    assert [command_of(PAGE, link) for link in found if link] == ["pt bb", "pt c", "pt e", "pt f", "pt g"]


def test_preceding_goes_back_the_same_way() -> None:
    found = [preceding(PAGE, len(PAGE))]
    while (last := found[-1]) is not None:
        found.append(preceding(PAGE, last.line, last.span))
    assert [command_of(PAGE, link) for link in found if link] == ["pt g", "pt f", "pt e", "pt c", "pt bb"]


def test_below_and_above_keep_the_place_from_the_left_as_far_as_they_can() -> None:
    second = Link(1, 2)
    lower = below(PAGE, second)
    assert lower == Link(4, 0)
    assert below(PAGE, Link(4, 0)) == Link(5, 0)
    assert above(PAGE, Link(5, 2)) == Link(4, 0)
    assert above(PAGE, Link(4, 0)) == Link(1, 0)
    assert above(PAGE, Link(1, 0)) is None
    assert below(PAGE, Link(5, 0)) is None


def test_link_at_counts_columns_not_signs() -> None:
    wide = line("日本 ", "!log")
    assert link_at(wide, 7, 4) is None
    assert link_at(wide, 7, 5) == Link(7, 1)
    assert link_at(wide, 7, 7) == Link(7, 1)
    assert link_at(wide, 7, 8) is None
    assert columns_of(wide, Link(7, 1)) == (5, 8)


def test_a_page_of_ten_million_lines_without_links_is_not_read_whole() -> None:
    made = []

    def make(begin: int, end: int) -> list[Line]:
        made.append(end - begin)
        return [line("plain ")] * (end - begin)

    page = Page("", MadeLines(10_000_000, make))
    assert following(page, 0) is None
    assert preceding(page, 9_999_999) is None
    assert sum(made) < 20_000
