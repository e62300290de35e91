from __future__ import annotations

import io
import sys
import time

import pytest
from rich.text import Text

from tensordbg.cli import output


class Terminal(io.StringIO):
    """Says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


def printed(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "stdout", stream)
    output.print_rich(Text("bad", style="red"))
    return stream.getvalue()


def test_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[31m" in printed(Terminal(), monkeypatch)


def test_no_colours_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed(io.StringIO(), monkeypatch) == "bad\n"


def test_no_colours_where_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in printed(Terminal(), monkeypatch)


def test_a_pipe_is_as_wide_as_it_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    output.print_rich(Text("word " * 200))
    assert len(stream.getvalue().splitlines()) == 1


def test_json_lacks_what_json_has_no_word_for() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        output.print_json(float("nan"))


def test_a_long_wait_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(output, "PATIENCE", 0.01)
    with output.working("reading runs"):
        time.sleep(0.2)
    assert "reading runs" in stream.getvalue()


def test_a_short_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with output.working("reading runs"):
        pass
    assert "reading" not in stream.getvalue()


def test_nor_one_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(output, "PATIENCE", 0.01)
    with output.working("reading runs"):
        time.sleep(0.1)
    assert stream.getvalue() == ""


def test_note_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_note("3 of 12")
    output.print_note("")
    assert capsys.readouterr() == ("", "3 of 12\n")
