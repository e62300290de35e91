from __future__ import annotations

import pytest

from tensordbg.console.console import Console
from tensordbg.console.fullscreen.completing import complete_line
from tensordbg.errors import TraceError


def test_commands_of_the_screen_are_among_those_of_the_console(console: Console) -> None:
    assert complete_line(console, "mou", 3).candidates == ("mouse",)
    assert complete_line(console, " ke", 3).begin == 1
    assert "list_tensors" in complete_line(console, "li", 2).candidates
    assert "keys" not in complete_line(console, "help k", 6).candidates


def test_a_trace_that_can_not_be_read_has_no_candidates(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(line: str, cursor: int) -> None:
        raise TraceError("gone")

    monkeypatch.setattr(console, "complete", fail)
    assert complete_line(console, "pt Lo", 5).candidates == ()
