"""Traces that several tests read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trace.samples import eventful_trace


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A finished, unsealed trace that has something of everything, in several segments."""
    return eventful_trace(tmp_path / "trace").finish()
