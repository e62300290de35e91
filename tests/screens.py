"""Screens as snapshots: the text of a terminal, without what differs from run to run, kept in files.

To keep new ones, run the tests with `TDBG_KEEP_SCREENS=1` and read what `git diff` shows.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable
from pathlib import Path

from tests.tmux import Tmux

KEPT = Path(__file__).parent / "e2e" / "screens"

_NUMBER = re.compile(r"[-+]?\d[\d,.]*(e[-+]?\d+)?")


def check_screen(terminal: Tmux, name: str, clean: Callable[[str], str] = str) -> None:
    """Waits until the screen is the one that is kept under a name."""
    path = KEPT / f"{name}.txt"
    if os.environ.get("TDBG_KEEP_SCREENS"):
        terminal.settle()
        path.parent.mkdir(exist_ok=True)
        path.write_text(_text(clean(terminal.screen())), "utf-8")
    kept = path.read_text("utf-8")
    try:
        terminal.wait_until(lambda screen: _text(clean(screen)) == kept, seconds=30)
    except AssertionError:
        seen = _text(clean(terminal.screen()))
        differences = difflib.unified_diff(kept.splitlines(), seen.splitlines(), path.name, "seen", lineterm="")
        raise AssertionError("\n".join(["the screen is another one:", *differences])) from None


def _text(screen: str) -> str:
    return "\n".join(line.rstrip() for line in screen.rstrip().splitlines()) + "\n"


def without_numbers(screen: str) -> str:
    """A screen of which only words are left, since processors differ in the last digits, and so in columns."""
    words = _NUMBER.sub("#", screen)
    return "\n".join(re.sub(r"\s+", " ", line).rstrip() for line in words.splitlines())
