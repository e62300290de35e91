"""What a recording can be asked for."""

from __future__ import annotations

import pytest

from tensordbg.errors import UsageError
from tensordbg.model import Detail
from tensordbg.recording.plan import Plan
from tensordbg.recording.value_filter import ValueFilter


def test_a_negative_number_of_events() -> None:
    with pytest.raises(UsageError, match="the last -3 events can't be kept; give a number from 1, or 0 to keep all"):
        Plan(last=-3)


@pytest.mark.parametrize(
    ("last", "budget", "file_bytes"),
    [(0, 2**31, 2**28), (10, 2**31, 2**24), (10, 2**20, 2**17), (10, 1000, 2**16), (10, 2**23 + 12345, 2**20)],
)
def test_files_of_values_are_small_where_they_are_deleted(last: int, budget: int, file_bytes: int) -> None:
    plan = Plan(Detail.VALUES, ValueFilter(budget=budget), last)
    assert plan.value_file_bytes == file_bytes
    assert plan.value_file_bytes % 64 == 0
