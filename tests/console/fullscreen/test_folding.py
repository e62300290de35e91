from __future__ import annotations

from tensordbg.console.fullscreen.folding import fold
from tensordbg.console.pages.page import FixedLines, Line, MadeLines, Page, Span, plain


def folded(*lines: Line, width: int = 24) -> list[str]:
    return [plain(line) for line in fold(Page("", FixedLines(lines)), width).page.lines(0, 100)]


def test_a_line_that_fits_stays_as_it_is() -> None:
    assert folded((Span("fits"), Span(" well")), ()) == ["fits well", ""]


def test_a_long_line_is_broken_between_words_and_indented_as_its_last_column() -> None:
    assert folded((Span("  key    words that go on and on"),)) == [
        "  key    words that go ",
        "         on and on",
    ]


def test_a_word_that_is_wider_than_the_pane_is_broken_within() -> None:
    assert folded((Span("x" * 50),)) == ["x" * 24, "x" * 24, "xx"]


def test_a_link_that_is_broken_can_be_chosen_in_both_parts() -> None:
    page = fold(Page("", FixedLines(((Span("see "), Span("the function train_step of it", "link", "ps a.py")),))), 24)
    assert [[span.command for span in line] for line in page.page.lines(0, 9)] == [["", "ps a.py"], ["ps a.py"]]


def test_lines_are_found_again() -> None:
    page = Page("", FixedLines(((Span("one"),), (Span("many words " * 5),), (Span("three"),))), start=2)
    folding = fold(page, 24)
    assert [folding.row_of(line) for line in (0, 1, 2)] == [0, 1, 4]
    assert [folding.line_of(row) for row in range(5)] == [0, 1, 1, 1, 2]
    assert folding.page.start == 4
    assert folding.row_of(99) == 4


def test_tables_elements_and_very_long_pages_are_not_folded() -> None:
    wide = FixedLines(((Span("wide " * 20),),))
    for page in (
        Page("", wide, head=1),
        Page("", wide, anchor=lambda index: 0),
        Page("", MadeLines(10_000_000, lambda begin, end: [wide.all_lines[0]] * (end - begin))),
    ):
        assert fold(page, 24).page is page
        assert fold(page, 24).row_of(7) == 7
        assert fold(page, 24).line_of(7) == 7


def test_blanks_at_the_end_of_a_line_take_no_line_of_their_own() -> None:
    assert len(folded((Span("short"), Span(" " * 50)))) == 1
    assert folded((Span("words that are too long for it"), Span(" " * 50)))[-1].strip() == "for it"
