from __future__ import annotations

import io

import pytest

from tensordbg.console.faces import choose_face
from tensordbg.console.fullscreen.face import FullScreen
from tensordbg.console.plain.face import PlainFace
from tensordbg.console.plain.script import ScriptFace


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, term: str = "xterm-256color") -> None:
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("TERM", term)


def test_a_terminal_shows_the_full_screen_unless_it_is_wanted_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    assert isinstance(choose_face(None, plain=False), FullScreen)
    assert isinstance(choose_face(None, plain=True), PlainFace)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal_has_a_prompt(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch, term)
    assert isinstance(choose_face(None, plain=False), PlainFace)


def test_where_the_input_is_no_terminal_its_lines_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert isinstance(choose_face(None, plain=False), PlainFace)


def test_a_script_needs_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    assert isinstance(choose_face("", plain=False), ScriptFace)
