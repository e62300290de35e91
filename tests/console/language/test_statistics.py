from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.language.statistics import STATISTICS, Measured
from tensordbg.trace.reader import open_trace
from tests.analysis.view.varied_trace import make_varied_trace


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> OpenedTrace:
    folder = tmp_path_factory.mktemp("varied") / "trace"
    make_varied_trace(folder, True)
    return OpenedTrace(open_trace(folder))


@pytest.mark.parametrize("name", STATISTICS)
def test_few_are_measured_as_many(varied: OpenedTrace, name: str) -> None:
    everything = np.arange(varied.event_count)
    few = everything[::50]
    np.testing.assert_array_equal(Measured(varied, few).get(name), Measured(varied, everything).get(name)[few])


def test_they_are_those_of_the_health(trained: Path) -> None:
    opened = OpenedTrace(open_trace(trained))
    measured = Measured(opened, np.arange(opened.event_count))
    for row in opened.rows(np.arange(opened.event_count)):
        assert row.health is not None
        for name in ("min", "mean", "std", "zero", "nan", "non_finite", "size"):
            np.testing.assert_allclose(measured.get(name)[row.event], getattr(row.health, name), rtol=1e-6)
