"""Finds the framework that a capture needs to be run again."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

from tensordbg.capture.reader import Capture
from tensordbg.errors import CaptureError


def framework_of(capture: Capture, offered: Iterable[str]) -> str:
    """Finds the framework of a capture without importing it.

    Args:
        capture: The captured step.
        offered: The names of the frameworks that can run it.

    Returns:
        The framework's name.

    Raises:
        CaptureError: If no framework that is offered made the capture, or the framework is not installed here.
    """
    made_by = capture.header.frameworks
    framework = next((name for name in offered if name in made_by), None)
    if framework is None:
        raise CaptureError(f"{capture.path} is of {', '.join(made_by) or 'no framework'}, not of {', '.join(offered)}")
    if not _is_installed(framework):
        raise CaptureError(
            f"{capture.path} is of {framework} {made_by[framework]}, which is not installed here; "
            f"`pip install {framework}`, or replay it where its program runs"
        )
    return framework


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
