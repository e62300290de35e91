"""Gives the mouse back to the terminal, which can then select and copy text, or takes it."""

from __future__ import annotations

from collections.abc import Callable

_MODES = (1000, 1003, 1015, 1006)
"""Those of xterm that Textual asks for: buttons, movements, and two ways to report columns beyond 223."""


def switch_mouse(write: Callable[[str], object], wanted: bool) -> None:
    """Writes to the terminal that it reports the mouse, or does not."""
    write("".join(f"\x1b[?{mode}{'h' if wanted else 'l'}" for mode in _MODES))
