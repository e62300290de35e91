"""Processes that have other parameters than the others."""

from __future__ import annotations

from tensordbg.analysis.processes.other_parameters import other_parameters
from tests.trace.sums.test_totals import trained

SAME = (1.0, 2.0, 3.0, 4.0)


def alerts(*workers: tuple[float, ...]) -> list[tuple[object, object, str]]:
    """Who differs from how many, and what is said, in a run of workers with these values in each step."""
    traces = {f"rank {number}": trained(*values) for number, values in enumerate(workers)}
    found = other_parameters(traces)
    return [(alert.evidence["processes"], alert.evidence["others"], alert.explanation) for alert in found]


def test_the_one_that_differs_is_named_with_its_step() -> None:
    assert alerts(SAME, (1.0, 2.0, 3.5, 4.5), SAME) == [
        (
            ["rank 1"],
            2,
            (
                "rank 1 has another w than rank 0 and rank 2 from step 2 on; all had the same until step 1; its "
                "elements sum up to 4.5 instead of 4"
            ),
        )
    ]


def test_two_that_part_at_different_times_are_two() -> None:
    found = alerts(SAME, (1.0, 2.0, 3.0, 4.5), SAME, (1.0, 2.5, 3.5, 4.0), SAME)
    assert [(who, others) for who, others, _ in found] == [(["rank 3"], 4), (["rank 1"], 3)]


def test_of_two_processes_neither_is_known_to_be_right() -> None:
    ((who, others, _),) = alerts(SAME, (1.0, 2.0, 3.0, 5.0))
    assert (who, others) == (["rank 1"], 1)


def test_those_that_were_never_alike_are_left_alone() -> None:
    assert alerts(SAME, (5.0, 6.0), (7.0, 8.0)) == []
    assert alerts(SAME, (5.0, 6.0, 7.0, 8.0), SAME) == []


def test_those_that_all_part_at_once_are_left_alone() -> None:
    assert alerts((1.0, 2.0), (1.0, 3.0), (1.0, 4.0)) == []


def test_one_that_ended_earlier_does_not_differ() -> None:
    assert alerts(SAME, SAME[:2], SAME) == []


def test_all_alike() -> None:
    assert alerts(SAME, SAME, SAME) == []
