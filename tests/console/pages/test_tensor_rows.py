from __future__ import annotations

import re

import numpy as np

from tensordbg.console.console import Console
from tensordbg.console.pages.page import plain
from tensordbg.console.pages.tensor_rows import TensorRows


def test_columns_stand_below_their_headings(console: Console) -> None:
    rows = TensorRows(console.opened, np.arange(console.opened.event_count), steps=True)
    head = plain(rows.head("lt"))
    place = head.index("tensor name")
    for line, row in zip(rows.part(0, 50), console.opened.rows(np.arange(50)), strict=True):
        assert plain(line)[place:].startswith(row.tensor)
        assert plain(line)[place - 2 - len(row.op_type) :].strip()


def test_times_count_from_the_first(console: Console) -> None:
    rows = TensorRows(console.opened, np.array([5, 2, 9]), steps=False)
    assert [plain(line).split()[0] for line in rows.part(1, 2)] == ["[0.000]"]


def test_rows_are_found_by_type_and_name(console: Console) -> None:
    opened = console.opened
    events = np.arange(opened.event_count)
    rows = TensorRows(opened, events, steps=True)
    logs = [row.event for row in opened.rows(events) if row.op_name == "Log"]
    assert rows.find(re.compile("^Log "), 0) == logs[0]
    assert rows.find(re.compile("Log:0"), logs[0] + 1) == next(
        row.event for row in opened.rows(events[logs[0] + 1 :]) if "Log:0" in row.tensor
    )
    assert rows.find(re.compile("nowhere"), 0) is None
