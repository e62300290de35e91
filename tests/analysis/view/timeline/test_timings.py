from __future__ import annotations

from collections import Counter

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.rows import SeenTensor


def test_times_and_threads(varied: OpenedTrace) -> None:
    timings = varied.timings
    table = varied.reader.table("executions").to_pylist()
    assert timings.begin_ns.tolist() == [row["begin_ns"] for row in table]
    assert timings.end_ns.tolist() == [row["begin_ns"] if row["end_ns"] is None else row["end_ns"] for row in table]
    assert timings.thread.tolist() == [row["thread"] for row in table]
    assert timings.eager.tolist() == [row["function"] == -1 for row in table]
    assert not timings.failed.any()


def test_what_is_not_finite_of_each_execution(varied: OpenedTrace) -> None:
    bad = [row for row in varied.rows(range(varied.event_count)) if row.health and row.health.non_finite]
    counts = Counter(row.execution for row in bad)
    numbers = varied.executions.number.tolist()
    assert varied.bad.count.tolist() == [counts[number] for number in numbers]
    firsts = {row.execution: row.event for row in reversed(bad)}
    assert varied.bad.first.tolist() == [firsts.get(number, -1) for number in numbers]


def test_work_of_each_device(varied: OpenedTrace) -> None:
    rows = [row for row in varied.rows(range(varied.event_count)) if row.execution >= 0]
    work = varied.device_work
    found = {
        (int(varied.executions.number[row]), work.devices[device]): (begin, end, events, bad)
        for row, device, begin, end, events, bad in zip(
            *(getattr(work, name).tolist() for name in ("row", "device", "begin_ns", "end_ns", "events", "bad")),
            strict=True,
        )
    }
    expected: dict[tuple[int, str], list[SeenTensor]] = {}
    for row in rows:
        expected.setdefault((row.execution, row.device), []).append(row)
    assert found == {
        key: (
            min(row.time_ns for row in group),
            max(row.time_ns for row in group),
            len(group),
            sum(bool(row.health and row.health.non_finite) for row in group),
        )
        for key, group in expected.items()
    }
