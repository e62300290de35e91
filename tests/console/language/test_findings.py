from __future__ import annotations

from pathlib import Path

import numpy as np

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.language.findings import FindingTest, findings_of
from tensordbg.trace.reader import open_trace


def test_a_trace_is_studied_once(trained: Path) -> None:
    opened = OpenedTrace(open_trace(trained))
    assert findings_of(opened) is findings_of(opened)
    assert findings_of(opened).result.origins[0].cause == "log_of_zero"


def test_findings_are_known_by_kind_and_by_cause(trained: Path) -> None:
    opened = OpenedTrace(open_trace(trained))
    events = np.arange(opened.event_count)
    origin, cause = (FindingTest(kind).holds(opened, events) for kind in ("origin", "log_of_zero"))
    assert opened.row(int(np.flatnonzero(cause)[0])).tensor == "Log:0"
    assert (origin & cause).sum() == cause.sum() == 1
