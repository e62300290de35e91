"""Finds the backend that a capture needs to be run again."""

from __future__ import annotations

import importlib.util
from typing import TypeVar

from tensordbg.capture.reader import Capture
from tensordbg.errors import CaptureError
from tensordbg.recording.backend import Backend, Unsupported, backends
from tensordbg.recording.support import Ability

Role = TypeVar("Role")


def backend_for(capture: Capture, ability: Ability[Role]) -> tuple[Backend, Role]:
    """Finds the backend that can run a capture, without importing its framework.

    Args:
        capture: The captured step.
        ability: What is to be done with it.

    Returns:
        The backend, and its role.

    Raises:
        CaptureError: If no backend made the capture, that backend can't do it, or its framework is not installed here.
    """
    made_by = capture.header.frameworks
    backend = next((each for each in backends() if each.framework in made_by), None)
    if backend is None:
        known = ", ".join(each.framework for each in backends())
        raise CaptureError(f"{capture.path} is of {', '.join(made_by) or 'no framework'}, not of {known}")
    role = ability.of(backend)
    if isinstance(role, Unsupported):
        raise CaptureError(ability.refusal(backend, role))
    if not _is_installed(backend.framework):
        raise CaptureError(
            f"{capture.path} is of {backend.framework} {made_by[backend.framework]}, which is not installed here; "
            f"`pip install {backend.framework}`, or replay it where its program runs"
        )
    return backend, role


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False
