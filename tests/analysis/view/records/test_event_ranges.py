from __future__ import annotations

import numpy as np

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.event_ranges import events_of, find_event_ranges


def test_events_of_two_threads_lie_among_each_other() -> None:
    extents = find_event_ranges(np.array([3, 5, 6]), np.array([3, 3, 5, -1, 3, 5, 9]))
    assert extents.first.tolist() == [0, 2, 7]
    assert extents.last.tolist() == [4, 5, -1]
    assert extents.count.tolist() == [3, 2, 0]


def test_no_events_and_no_executions() -> None:
    assert find_event_ranges(np.array([1]), np.array([], dtype=np.int64)).count.tolist() == [0]
    assert find_event_ranges(np.array([], dtype=np.int64), np.array([-1, -1])).count.tolist() == []


def test_events_of_every_execution(varied: OpenedTrace) -> None:
    execution = varied.reader.table("tensors", ["execution"]).column("execution").to_pylist()
    for row, number in enumerate(varied.executions.number.tolist()):
        assert events_of(varied, row).tolist() == [event for event, of in enumerate(execution) if of == number]
