"""The chart of the error along the data flow."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.diff.result import Comparison, FirstDifference, PairError
from tensordbg.report.error_chart import columns_of, error_chart, level, shown_errors
from tests.analysis.diff.compared import tensor


def pair(error: float | None, state: str, step: int = 0) -> PairError:
    return PairError(step, "a:0", "b:0", "a.py:1", "b.py:2", error, state, False, 4, 0, 0)


ERRORS = (pair(0.0, "equal"), pair(1e-7, "equal"), pair(1e-2, "added"), pair(None, "inherited"), pair(1.0, "added", 1))
FIRST = FirstDifference("value", tensor("a:0"), tensor("b:0"), 1e-2, True, (), "why", "fix")
FOUND = Comparison("diverged", 3, 0, 0, 1e-6, FIRST, errors=ERRORS)


def test_the_step_in_which_the_runs_part_is_drawn() -> None:
    lines = [line.plain for line in error_chart(FOUND)]
    assert lines[0] == "error along the data flow, step 0"
    assert [line[-4:] for line in lines[1:7]] == ["   ▒", "  █▒", "  █▒", "  █▒", " ░█▒", " ░█▒"]
    assert lines[-1].split() == ["░", "agrees", "▒", "came", "in", "█", "made", "there"]


def test_nothing_is_drawn_of_equal_runs_and_of_very_few_values() -> None:
    assert error_chart(replace(FOUND, first=None)) == []
    assert error_chart(replace(FOUND, errors=ERRORS[:2])) == []
    assert len(shown_errors(replace(FOUND, first=None))) == 4


def test_a_column_of_several_tells_the_largest_and_what_matters_most() -> None:
    columns = columns_of(ERRORS[:3], 2)
    assert [(each.error, each.state) for each in columns] == [(1e-7, "equal"), (1e-2, "added")]


def test_the_scale_is_logarithmic() -> None:
    assert (level(0.0, 1.0), level(1.0, 1.0)) == (0.0, 1.0)
    assert abs(level(1e-6, 1e-3) - 0.5) < 1e-9
