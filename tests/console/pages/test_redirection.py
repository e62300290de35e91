from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.pages.page import FixedLines, Page, Span, plain
from tensordbg.console.pages.redirection import free_path, write_page
from tensordbg.errors import UsageError

PAGE = Page("title:", FixedLines(((Span("a"), Span("b", "bad")), ())))


def test_a_page_is_written_as_text(tmp_path: Path) -> None:
    told = write_page(PAGE, tmp_path / "page.txt")
    assert (tmp_path / "page.txt").read_text() == "title:\nab\n\n"
    assert plain(told.lines(0, 1)[0]) == f"Wrote output to {tmp_path / 'page.txt'} (2 lines)"


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("mine")
    with pytest.raises(UsageError, match="is there already, and nothing is overwritten; choose another name"):
        write_page(PAGE, tmp_path / "page.txt")
    assert (tmp_path / "page.txt").read_text() == "mine"


def test_a_file_that_can_not_be_written_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"can't be written \(No such file or directory\)"):
        write_page(PAGE, tmp_path / "no" / "page.txt")


def test_the_own_folder_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert free_path(Path("~/a.txt")) == tmp_path / "a.txt"
