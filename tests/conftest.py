"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.trace.reader import TraceReader, open_trace
from tests.sample_trace import make_sample_trace


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The folder of the sample trace, in a folder of traces."""
    return make_sample_trace(tmp_path / "tdbg-traces" / "sample")


@pytest.fixture
def sample_reader(sample: Path) -> TraceReader:
    """The sample trace, opened."""
    return open_trace(sample)
