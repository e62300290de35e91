from __future__ import annotations

import math

import numpy as np
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.statistics import STATISTICS


@pytest.mark.parametrize("name", sorted(STATISTICS))
def test_as_the_health_says(varied: OpenedTrace, name: str) -> None:
    rows = varied.rows(range(varied.event_count))
    said = [math.nan if row.health is None else getattr(row.health, name) for row in rows]
    np.testing.assert_allclose(STATISTICS[name](varied.columns), said, rtol=1e-9, atol=1e-6)
