from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import StillProgram, console_on, text


class Capturing(StillProgram):
    """A program whose steps can be captured."""

    def capture(self, function: str = "") -> str:
        return "/home/me/captures"


def test_the_folder_of_the_capture_is_told(trained: Path) -> None:
    said = text(console_on(trained, Capturing({})), "capture")
    assert "The next training step will be captured in /home/me/captures: go on with `run`." in said
    said = text(console_on(trained, Capturing({})), "capture predict*")
    assert "The next call of predict* will be captured in /home/me/captures: go on with `run`." in said
    assert "`tdbg replay` runs a step again." in said


def test_what_can_not_be_captured_is_said_so(standing: Console, console: Console) -> None:
    with pytest.raises(UsageError, match="can't be captured"):
        standing.answer("capture")
    with pytest.raises(UsageError, match="no program stands still here"):
        console.answer("capture")
