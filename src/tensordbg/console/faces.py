"""Which face talks with the user."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensordbg.console.console import Face


def choose_face(script: str | None, plain: bool) -> Face:
    """A script, where there is one; else the full screen, where the terminal can show it and nobody wants it plain.

    Args:
        script: Commands, see `plain/script.py`; None where the user types them.
        plain: Whether a prompt for lines is wanted.
    """
    if script is not None:
        from tensordbg.console.plain.script import ScriptFace

        return ScriptFace(script)
    from tensordbg.console.plain.face import PlainFace

    terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in {"", "dumb"}
    if plain or not terminal:
        return PlainFace()
    from tensordbg.console.fullscreen.face import FullScreen

    return FullScreen(otherwise=PlainFace())
