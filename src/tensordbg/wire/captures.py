"""Captures as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tensordbg.capture.reader import Capture

FORMAT = 1


def captures_to_json(captures: Sequence[Capture]) -> dict[str, Any]:
    """The object that `tdbg captures --json` prints."""
    return {"format": FORMAT, "captures": [_summary(capture) for capture in captures]}


def capture_to_json(capture: Capture) -> dict[str, Any]:
    """The object that `tdbg capture show --json` prints: all of `capture.json`, and where it is."""
    return {"path": str(capture.path), **asdict(capture.header)}


def _summary(capture: Capture) -> dict[str, Any]:
    header = capture.header
    return {
        "path": str(capture.path),
        "id": header.id,
        "created_ns": header.created_ns,
        "program": header.program,
        "function": header.function,
        "step": header.step,
        "suspects": [asdict(suspect) for suspect in header.trouble.suspects],
    }
