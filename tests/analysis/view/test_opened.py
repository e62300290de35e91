from __future__ import annotations

import threading

import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.requests import EventList
from tensordbg.errors import AbsentError
from tests.sample_trace import TENSOR_EVENTS


def test_is_a_source_of_tables(opened: OpenedTrace) -> None:
    assert (opened.event_count, opened.count("tensors"), opened.count("sites")) == (TENSOR_EVENTS, TENSOR_EVENTS, 7)
    assert opened.tensors(2, 4, ["event"]).column("event").to_pylist() == [2, 3]
    assert opened.table("functions", ["name"]).column("name").to_pylist() == ["train", "inner"]


@pytest.mark.parametrize("event", [-1, TENSOR_EVENTS, 2**62])
def test_no_such_event(opened: OpenedTrace, event: int) -> None:
    with pytest.raises(AbsentError, match=rf"no event {event}; the trace has {TENSOR_EVENTS}, numbered from 0"):
        opened.row(event)


def test_lists_are_kept(opened: OpenedTrace) -> None:
    assert opened.numbers(EventList("nonfinite")) is opened.numbers(EventList("nonfinite"))


def test_events_of_a_local_flow_share_it(opened: OpenedTrace) -> None:
    assert opened.local_flow(0) is opened.local_flow(2)
    assert opened.local_flow(0) is not opened.local_flow(4)


def test_many_threads_may_ask(varied: OpenedTrace) -> None:
    fresh = OpenedTrace(varied.reader)
    found: list[tuple[int, int, int]] = []

    def ask() -> None:
        rows = fresh.rows(range(fresh.event_count))
        total = fresh.numbers(EventList("nonfinite", "max")).total
        found.append((len(rows), total, len(fresh.local_flow(5).events)))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len(set(found)) == 1
