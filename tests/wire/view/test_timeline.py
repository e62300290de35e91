from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.timeline import lanes
from tensordbg.analysis.view.timeline.lanes import one_execution, read_timeline
from tensordbg.trace.reader import open_trace
from tensordbg.wire.view.timeline import execution_view, timeline_view
from tests.trace.builder import TraceBuilder, small_program


@pytest.fixture
def opened(sample: Path) -> OpenedTrace:
    """The sample trace."""
    return OpenedTrace(open_trace(sample))


def test_spans(opened: OpenedTrace) -> None:
    view = timeline_view(opened, read_timeline(opened, None, None, 100))
    (lane,) = view.lanes
    assert (view.executions, lane.executions, lane.thread, lane.bins) == (6, 6, 7, ())
    assert [(span.execution, span.name, span.step, span.eager, span.non_finite) for span in lane.spans] == [
        (1, "train", 0, False, 0), (2, "AddV2", 0, True, 0), (3, "train", 1, False, 0), (4, "AddV2", 1, True, 0),
        (5, "train", 2, False, 1), (6, "AddV2", 2, True, 0),
    ]  # fmt: skip
    assert view.first_ns == lane.spans[0].begin_ns < lane.spans[0].end_ns <= lane.spans[1].begin_ns


def test_bins(opened: OpenedTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "MOST_SPANS", 3)
    (lane,) = timeline_view(opened, read_timeline(opened, None, None, 8)).lanes
    assert lane.spans == ()
    assert sum(each.functions for each in lane.bins) == sum(each.eager for each in lane.bins) == 3
    assert sum(each.events for each in lane.bins) == 12
    assert [each.first_bad for each in lane.bins if each.non_finite] == [5]


def test_execution(opened: OpenedTrace) -> None:
    view = execution_view(opened, one_execution(opened, 5))
    assert (view.name, view.eager, view.function, view.step, view.thread) == ("train", False, 0, 2, 7)
    assert (view.events, view.non_finite, view.first_event, view.first_bad_event) == (3, 1, 8, 9)
    assert view.end_ns is not None
    assert view.begin_ns < view.end_ns
    assert execution_view(opened, one_execution(opened, 6)).function is None


def test_call_that_never_ended(sample: Path) -> None:
    build = TraceBuilder(sample.parent / "killed")
    build.describe(small_program())
    build.begin(site=5, function=0)
    build.kill()
    opened = OpenedTrace(open_trace(build.folder))
    view = execution_view(opened, one_execution(opened, 1))
    assert (view.end_ns, view.events, view.first_event) == (None, 0, None)
