from __future__ import annotations

import numpy as np
import pytest

from tensordbg.console.console import Console
from tensordbg.console.pages.tensor_order import KEYS, check_key, sorted_events
from tensordbg.errors import UsageError


@pytest.mark.parametrize("key", sorted(KEYS))
def test_each_order_has_all_tensors_once(console: Console, key: str) -> None:
    check_key(key)
    events = np.arange(console.opened.event_count)
    for descending in (False, True):
        assert sorted(sorted_events(console.opened, events, key, descending).tolist()) == events.tolist()


def test_bytes_count_and_not_elements(console: Console) -> None:
    events = np.arange(console.opened.event_count)
    rows = console.opened.rows(sorted_events(console.opened, events, "dump_size", True))
    sizes = [row.health.size * np.dtype(row.dtype).itemsize for row in rows if row.health is not None]
    assert sizes == sorted(sizes, reverse=True)


def test_what_is_not_known_comes_last(console: Console) -> None:
    events = np.arange(console.opened.event_count)
    last = console.opened.row(int(sorted_events(console.opened, events, "abs_max", False)[-1]))
    assert last.health is not None
    assert not last.health.finite


def test_the_nearest_order_is_named() -> None:
    with pytest.raises(UsageError, match=r"can't sort by 'tensor_nam'; did you mean 'tensor_name'\?"):
        check_key("tensor_nam")
    with pytest.raises(UsageError, match="choose one of timestamp, dump_size, op_type"):
        check_key("xyzzy")
