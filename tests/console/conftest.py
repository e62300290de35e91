"""The recorded training that the tests of the console look at; recorded once for all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.console import Console
from tests.console.recorded import console_on, recorded_training, still


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of the training."""
    return recorded_training(tmp_path_factory)


@pytest.fixture
def console(trained: Path) -> Console:
    """A console on it."""
    return console_on(trained)


@pytest.fixture
def standing(trained: Path) -> Console:
    """A console on the program, which stands behind its second run, where the logarithm of zero is taken."""
    return still(trained)
