from __future__ import annotations

import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.timeline import lanes
from tensordbg.analysis.view.timeline.lanes import execution_name, one_execution, read_timeline
from tensordbg.errors import AbsentError, UsageError


def test_a_lane_for_each_thread_and_device(varied: OpenedTrace) -> None:
    found = read_timeline(varied, None, None, 1000)
    assert [(lane.label, lane.device) for lane in found.lanes] == [
        ("main thread", ""), ("thread 1", ""), ("CPU:0", "/device:CPU:0"), ("GPU:0", "/device:GPU:0"),
    ]  # fmt: skip
    threads = found.lanes[:2]
    assert sum(lane.executions for lane in threads) == len(varied.executions)
    assert all(lane.spans is not None and lane.bins is None for lane in found.lanes)
    for lane in threads:
        assert lane.spans is not None
        assert set(varied.timings.thread[lane.spans.row].tolist()) == {lane.thread}
        assert lane.spans.begin_ns.tolist() == sorted(lane.spans.begin_ns.tolist())


def test_one_device_needs_no_lane(opened: OpenedTrace) -> None:
    found = read_timeline(opened, None, None, 1000)
    assert [lane.label for lane in found.lanes] == ["main thread"]
    assert (found.begin_ns, found.end_ns) == (found.first_ns, found.last_ns)


def test_only_what_is_in_the_range(varied: OpenedTrace) -> None:
    whole = read_timeline(varied, None, None, 1000)
    begin = (whole.first_ns + whole.last_ns) // 2
    part = read_timeline(varied, begin, begin + 30_000, 1000)
    timings = varied.timings
    inside = (timings.end_ns >= begin) & (timings.begin_ns <= begin + 30_000)
    assert 0 < sum(lane.executions for lane in part.lanes[:2]) == int(inside.sum()) < len(varied.executions)
    assert (part.first_ns, part.last_ns) == (whole.first_ns, whole.last_ns)
    assert sum(lane.executions for lane in read_timeline(varied, 5, 6, 100).lanes) == 0


def test_many_are_counted_in_bins(varied: OpenedTrace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "MOST_SPANS", 10)
    lane = read_timeline(varied, None, None, 100).lanes[0]
    assert lane.spans is None
    assert lane.bins is not None
    assert len(lane.bins.begin_ns) <= 50
    assert int(lane.bins.functions.sum() + lane.bins.eager.sum()) == lane.executions


def test_range_the_wrong_way(varied: OpenedTrace) -> None:
    with pytest.raises(UsageError, match="the range from 9 to 3 ns ends before it begins"):
        read_timeline(varied, 9, 3, 100)


def test_one_execution(opened: OpenedTrace) -> None:
    one = one_execution(opened, 5)
    assert (one.row, one.name, one.events, one.bad, one.first_event, one.first_bad_event) == (4, "train", 3, 1, 8, 9)
    eager = one_execution(opened, 2)
    assert (eager.name, eager.events, eager.first_bad_event) == ("AddV2", 1, None)
    assert execution_name(opened, 1) == "AddV2"


@pytest.mark.parametrize("execution", [0, 7, -3])
def test_no_such_execution(opened: OpenedTrace, execution: int) -> None:
    with pytest.raises(AbsentError, match=f"no execution {execution}; the trace has 6, the first is 1"):
        one_execution(opened, execution)
