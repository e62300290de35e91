"""Consoles for the screen's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console, StateFiles


@pytest.fixture
def console(sample: Path) -> Console:
    """On the sample trace; nothing that is typed is kept."""
    return Console(sample, files=StateFiles(None, None))
