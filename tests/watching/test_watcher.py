"""What is new is told once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tensordbg.watching.looking import Look, Looking
from tensordbg.watching.watcher import Faces, Watcher
from tests.trace.samples import eventful_trace


class Heard:
    """All that a watcher has told."""

    def __init__(self, fails: int = 0) -> None:
        self.lines: list[str] = []
        self.messages: list[Mapping[str, Any]] = []
        self.looks: list[Look | None] = []
        self._fails = fails
        self.faces = Faces(self.lines.append, [self._tell], lambda look: "the report", self.looks.append)

    def _tell(self, message: Mapping[str, Any]) -> str:
        if self._fails:
            self._fails -= 1
            return "no way"
        self.messages.append(message)
        return ""


def test_each_thing_is_told_once_with_the_link(tmp_path: Path) -> None:
    look = Looking(eventful_trace(tmp_path / "trace").finish()).look()
    assert look is not None
    heard = Heard()
    watcher = Watcher(Looking(tmp_path), heard.faces)
    watcher.tell(look)
    told = list(heard.lines)
    assert told
    watcher.tell(look)
    assert heard.lines == told
    watcher.watch(0.0, on=False)
    assert heard.lines == told
    assert len(heard.messages) == len(told)
    assert {message["run"] for message in heard.messages} == {str(tmp_path / "trace")}
    assert {message["report"] for message in heard.messages} == {"the report"}
    assert len(heard.looks) == 1


def test_what_could_not_be_told_is_tried_with_the_next_look(tmp_path: Path) -> None:
    eventful_trace(tmp_path / "trace").finish()
    heard = Heard(fails=1)
    watcher = Watcher(Looking(tmp_path), heard.faces)
    watcher.watch(0.0, on=False)
    assert heard.lines.count("no way; tried again with each look") == 1
    assert len(heard.messages) == len(heard.lines) - 1


def test_in_the_end_it_is_given_up(tmp_path: Path) -> None:
    eventful_trace(tmp_path / "trace").finish()
    heard = Heard(fails=1000)
    Watcher(Looking(tmp_path), heard.faces).watch(0.0, on=False)
    assert not heard.messages
    assert "no way; given up" in heard.lines
