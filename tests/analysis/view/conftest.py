"""What the tests of the page's questions share."""

from __future__ import annotations

import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.trace.reader import TraceReader
from tests.analysis.view.varied_trace import open_varied_trace


@pytest.fixture
def opened(sample_reader: TraceReader) -> OpenedTrace:
    """The sample trace."""
    return OpenedTrace(sample_reader)


@pytest.fixture(scope="session", params=[True, False], ids=["sealed", "raw"])
def varied(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> OpenedTrace:
    """A trace of many unlike events."""
    return open_varied_trace(tmp_path_factory.mktemp("varied") / "trace", request.param)
