from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import tensordbg
from tensordbg.backends.torch.dispatching.table import Event, LogTable, integers
from tensordbg.recording.catalog import CATALOG


def test_it_writes_into_the_log_that_is_open(tmp_path: Path) -> None:
    table = LogTable()
    assert not table.recording()
    assert table.begin(0, 0, []) == -1
    numbers = (ctypes.c_float * 3)(1, float("nan"), 2)
    with tensordbg.record(tmp_path):
        assert table.recording()
        site = CATALOG.new_sites(1)
        first = table.begin(site, 0, [])
        event: Any = Event()
        event.execution, event.site, event.dtype, event.device = first, site, 12, table.device("cpu")
        event.rank, event.dims, event.data = 1, integers([3]), ctypes.addressof(numbers)
        assert table.append(event)
        numbers[1] = 0
        assert not table.append(event)
        assert table.begin(site, 0, [first << 16, -1]) == first + 1
