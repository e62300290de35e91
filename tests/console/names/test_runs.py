from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tensordbg.console.console import Console
from tensordbg.console.names.runs import EVERYTHING, find_runs, scope_of, scope_since
from tensordbg.errors import UsageError


def steps(console: Console, chosen: str) -> list[int]:
    scope = scope_of(console.opened, console.runs, chosen)
    return sorted(
        {row.step for row in console.opened.rows(scope.numbers(console.opened)) if row.function == "train_step"}
    )


def test_runs_are_numbered_as_the_trace_holds_them(console: Console) -> None:
    assert console.runs.numbers.tolist() == [1, 2, 3, 4]
    assert console.runs.extent == "1 to 4"


def test_the_numbers_are_those_of_the_program_where_it_counts(console: Console) -> None:
    numbers = console.opened.executions.number[console.runs.rows].tolist()
    runs = find_runs(console.opened, {7: numbers[2], 3: numbers[0], 9: 10**9})
    assert runs.numbers.tolist() == [3, 7]
    assert runs.row(7) == console.runs.row(3)


@pytest.mark.parametrize(
    ("chosen", "expected"), [("2", [1]), ("last", [3]), ("2..3", [1, 2]), ("3..", [2, 3]), ("..2", [0, 1])]
)
def test_runs_are_chosen(console: Console, chosen: str, expected: list[int]) -> None:
    assert steps(console, chosen) == expected


def test_all_means_what_no_run_computed_too(console: Console) -> None:
    assert scope_of(console.opened, console.runs, "all") is EVERYTHING
    assert EVERYTHING.size(console.opened) == console.opened.event_count


def test_a_scope_narrows(console: Console) -> None:
    scope = scope_of(console.opened, console.runs, "2")
    everything = np.arange(console.opened.event_count)
    assert scope.narrow(everything).tolist() == scope.numbers(console.opened).tolist()
    assert len(EVERYTHING.narrow(everything)) == len(everything)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("9", "no run 9 is in the trace; the runs that were recorded are 1 to 4"),
        ("7..9", "no run 7..9 is in the trace"),
        ("first", "'first' is no run; write a number such as 3"),
    ],
)
def test_what_is_not_there_is_said_so(console: Console, chosen: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        scope_of(console.opened, console.runs, chosen)


def test_what_ran_since_the_last_run_began(console: Console) -> None:
    opened, runs = console.opened, console.runs
    within = set(scope_of(opened, runs, "last").numbers(opened).tolist())
    since = set(scope_since(opened, runs).numbers(opened).tolist())
    first = replace(runs, numbers=runs.numbers[:1], rows=runs.rows[:1])
    assert within <= since < set(scope_since(opened, first).numbers(opened).tolist())
    assert scope_since(opened, first).text == "run 1 and of what ran since"
    none = replace(runs, numbers=runs.numbers[:0], rows=runs.rows[:0])
    assert scope_since(opened, none) is EVERYTHING
