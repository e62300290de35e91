from __future__ import annotations

from pathlib import Path

from tensordbg.console.pages.page import FixedLines, Page
from tensordbg.console.pages.remembered import MOST_LINES, MOST_PAGES, SeenPages, TypedLines

PAGES = [Page(str(k), FixedLines(())) for k in range(MOST_PAGES + 5)]


def test_lines_are_kept_in_a_file_of_bounded_length(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "lines"
    lines = TypedLines(path)
    for k in range(2 * MOST_LINES + 10):
        lines.add(f"line {k}")
    assert len(lines.all) == MOST_LINES
    assert TypedLines(path).all == lines.all
    assert len(path.read_text().splitlines()) <= 2 * MOST_LINES


def test_two_sessions_add_to_one_file(tmp_path: Path) -> None:
    first, second = TypedLines(tmp_path / "lines"), TypedLines(tmp_path / "lines")
    first.add("a")
    second.add("b")
    assert TypedLines(tmp_path / "lines").all == ("a", "b")


def test_the_same_line_again_and_empty_ones_are_not_added() -> None:
    lines = TypedLines(None)
    for line in ("a", "a", " ", "b", "a"):
        lines.add(line)
    assert lines.all == ("a", "b", "a")


def test_what_can_not_be_written_is_remembered_for_the_session(tmp_path: Path) -> None:
    lines = TypedLines(tmp_path)
    lines.add("a")
    assert lines.all == ("a",)


def test_the_last_pages_are_remembered() -> None:
    seen = SeenPages()
    assert seen.shown is None
    assert seen.move(1) is None
    for page in PAGES:
        seen.add(page)
    assert seen.place == (MOST_PAGES - 1, 0)
    assert seen.move(-1) is PAGES[-2]
    assert seen.place == (MOST_PAGES - 2, 1)
    assert seen.move(-MOST_PAGES) is None
    assert seen.shown is PAGES[-2]


def test_a_new_page_is_the_last() -> None:
    seen = SeenPages()
    for page in PAGES[:3]:
        seen.add(page)
    seen.move(-2)
    seen.add(PAGES[4])
    assert seen.shown is PAGES[4]
    assert seen.move(1) is None


def test_a_page_takes_the_place_of_the_one_shown() -> None:
    seen = SeenPages()
    seen.add(PAGES[0])
    seen.replace(PAGES[1])
    assert seen.shown is PAGES[1]
    assert seen.place == (0, 0)
