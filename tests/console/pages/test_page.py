from __future__ import annotations

from tensordbg.console.pages.page import FixedLines, JoinedLines, MadeLines, Page, Span, plain, texts


def made(count: int, sign: str) -> MadeLines:
    return MadeLines(count, lambda begin, end: [(Span(f"{sign}{k}"),) for k in range(begin, end)])


def test_lines_are_made_when_they_are_asked_for() -> None:
    asked = []

    def make(begin: int, end: int) -> list[tuple[Span, ...]]:
        asked.append((begin, end))
        return [()] * (end - begin)

    page = Page("", MadeLines(10_000_000, make))
    assert len(page) == 10_000_000
    assert len(page.lines(9_999_990, 10_000_100)) == 10
    assert asked == [(9_999_990, 10_000_000)]
    assert page.lines(5, 5) == ()


def test_bodies_stand_below_each_other() -> None:
    body = JoinedLines((FixedLines(((Span("head"),),)), made(3, "a"), made(0, "b"), made(2, "c")))
    assert [plain(line) for line in body.part(0, len(body))] == ["head", "a0", "a1", "a2", "c0", "c1"]
    assert [plain(line) for line in body.part(3, 5)] == ["a2", "c0"]


def test_all_lines_as_text_some_at_a_time() -> None:
    assert list(texts(Page("", made(2500, "")))) == [str(k) for k in range(2500)]
