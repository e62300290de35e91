from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.console.fullscreen import driver
from tensordbg.console.fullscreen.face import FullScreen
from tensordbg.console.running import Go, GoKind


class Otherwise:
    """Stands for the plain prompt."""

    def __init__(self) -> None:
        self.talks = 0

    def converse(self, console: Console) -> Go:
        self.talks += 1
        return Go(GoKind.STEP)


def test_where_there_is_no_terminal_the_other_face_goes_on(
    console: Console, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_terminal() -> None:
        raise OSError(6, "No such device or address")

    monkeypatch.setattr(driver, "find_terminal", no_terminal)
    otherwise = Otherwise()
    face = FullScreen(otherwise)
    assert face.converse(console).kind is GoKind.STEP
    said = capsys.readouterr().err
    assert said == (
        "tdbg: the full screen failed (OSError: [Errno 6] No such device or address); the plain prompt goes on\n"
    )
    assert face.converse(console).kind is GoKind.STEP
    assert otherwise.talks == 2
    assert capsys.readouterr().err == ""
