"""What a recording can be asked for."""

from __future__ import annotations

import pytest

from tensordbg.errors import UsageError
from tensordbg.model import Detail
from tensordbg.recording.plan import Plan, parse_share
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


@pytest.mark.parametrize(("text", "share"), [("2%", 0.02), ("0.5%", 0.005), ("0.02", 0.02), (0.02, 0.02), (0, 0)])
def test_a_share_of_time(text: float | str, share: float) -> None:
    assert parse_share(text) == share


@pytest.mark.parametrize("text", ["2", "100%", "0%", "-1%", "much", "nan", ""])
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(UsageError, match=r"is no share of the program's time; give one such as 2% or 0.02"):
        parse_share(text)


def test_a_budget_of_more_than_all() -> None:
    with pytest.raises(UsageError, match=r"recording can't cost 1.5 of the program's time; give a share such as 2%"):
        Plan(overhead=1.5)


def test_a_budget_and_one_step_in_so_many() -> None:
    with pytest.raises(UsageError, match="both choose the steps; give one of them"):
        Plan(overhead=0.02, every=10)


def test_a_budget_reaches_the_process_that_records() -> None:
    assert Plan.from_json(Plan(overhead=0.02).to_json()).overhead == 0.02
    assert "a budget of 2 % of the program's time chose the steps" in Plan(overhead=0.02).note


def test_sketches_are_measured_with_health() -> None:
    with pytest.raises(UsageError, match="sketches are measured with health, not with 'shapes'; leave one of them out"):
        Plan(Detail.SHAPES, sketch=True)
    assert Plan.from_json(Plan(sketch=True).to_json()).sketch
