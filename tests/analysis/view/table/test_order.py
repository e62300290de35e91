from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.analysis.view.table.order import SORT_KEYS, check_order, sort_events
from tensordbg.errors import UsageError

LISTED = {"event": "event", "op": "op-type", "nonfinite": "non-finite"} | {
    key: key for key in ("step", "size", "min", "max", "mean", "std", "zero")
}


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("order", sorted(LISTED))
def test_sorted_as_ls_does(varied: OpenedTrace, order: str, descending: bool) -> None:
    listed = list_tensors(varied.reader, Selection(), Order(LISTED[order], descending, limit=0)).rows
    assert sort_events(varied, None, order, descending).tolist() == [row.event for row in listed]


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ("time", lambda row: row.time_ns),
        ("tensor", lambda row: (row.op_name, row.slot)),
        ("function", lambda row: row.function),
    ],
)
def test_sorted_by_names_and_time(varied: OpenedTrace, order: str, key: Callable[[SeenTensor], object]) -> None:
    events = np.arange(3, varied.event_count, 2)
    rows = varied.rows(sort_events(varied, events, order, descending=False))
    assert sorted(row.event for row in rows) == events.tolist()
    keys = [(key(row), row.event) for row in rows]
    assert keys == sorted(keys)  # type: ignore[type-var]


def test_what_is_not_known_comes_last_in_both_directions(varied: OpenedTrace) -> None:
    for descending in (False, True):
        rows = varied.rows(sort_events(varied, None, "min", descending))
        known = [row.health is not None and not math.isnan(row.health.min) for row in rows]
        assert known == sorted(known, reverse=True)
        assert 0 < sum(known) < len(known)


def test_other_keys_are_refused() -> None:
    with pytest.raises(UsageError, match="can't sort by 'colour'; choose one of event, time, tensor, op, function,"):
        check_order("colour")


def test_all_keys_of_the_page() -> None:
    assert set(SORT_KEYS) == {
        "event", "time", "tensor", "op", "function", "layer", "step", "size", "min", "max", "mean", "std",
        "nonfinite", "zero",
    }  # fmt: skip
