from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tensordbg.errors import UsageError
from tests.console.recorded import StillProgram, console_on, text


class Capturing(StillProgram):
    """A program whose step can be captured."""

    def capture(self) -> str:
        return "captures/7"


def test_the_path_of_the_capture_is_told(trained: Path) -> None:
    said = text(console_on(trained, Capturing({})), "capture")
    assert "Captured: captures/7" in said
    assert "`tdbg replay captures/7` runs it again." in said


def test_what_can_not_be_captured_is_said_so(standing: Console, console: Console) -> None:
    with pytest.raises(UsageError, match="can't be captured"):
        standing.answer("capture")
    with pytest.raises(UsageError, match="no program stands still here"):
        console.answer("capture")
