from __future__ import annotations

from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.analysis.view.opened import OpenedTrace


def test_rows_are_those_of_ls(opened: OpenedTrace) -> None:
    listed = list_tensors(opened.reader, Selection(), Order(limit=0)).rows
    rows = opened.rows(range(opened.event_count))
    for name in ("event", "tensor", "op_type", "function", "execution", "step", "path", "device", "shape", "source"):
        assert [getattr(row, name) for row in rows] == [getattr(row, name) for row in listed], name
    assert [row.health for row in rows] == [row.health for row in listed]


def test_in_the_order_asked_for_and_twice(varied: OpenedTrace) -> None:
    wanted = [varied.event_count - 1, 0, 5, 0]
    assert [row.event for row in varied.rows(wanted)] == wanted
    assert varied.rows([]) == []


def test_what_was_kept_is_said(varied: OpenedTrace) -> None:
    rows = varied.rows(range(varied.event_count))
    positions = varied.reader.table("tensors", ["value_position"]).column("value_position").to_pylist()
    assert [row.kept for row in rows] == [position is not None for position in positions]


def test_time_and_thread(varied: OpenedTrace) -> None:
    table = varied.reader.table("tensors", ["time_ns", "thread"]).to_pylist()
    rows = varied.rows(range(varied.event_count))
    assert [(row.time_ns, row.thread) for row in rows] == [(each["time_ns"], each["thread"]) for each in table]
