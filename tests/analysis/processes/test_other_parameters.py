"""Processes that have other parameters than the others."""

from __future__ import annotations

from tensordbg.analysis.processes.other_parameters import find_deviations, other_parameters
from tests.analysis.builder import TraceBuilder
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


def kept_from(step: int, *values: float, every: int = 1) -> TraceBuilder:
    """A trace of which only these steps are kept."""
    trace = trained(*values)
    for number, event in enumerate(trace.events):
        event["step"] = step + number * every
    return trace


def test_the_last_step_that_was_recorded_in_all_is_the_last_that_was_the_same() -> None:
    traces = {f"rank {rank}": kept_from(10, 1.0, 2.0, third, every=5) for rank, third in enumerate((3.0, 3.5, 3.0))}
    (alert,) = other_parameters(traces)
    assert "rank 1 has another w than rank 0 and rank 2 from step 20 on; all had the same until step 15;" in (
        alert.explanation
    )


def test_where_all_that_is_kept_differs_nothing_is_known_of_before() -> None:
    """Steps of which nothing is kept are not the same in all: the processes may have been meant to differ."""
    traces = {f"rank {rank}": kept_from(10, value, 4.0) for rank, value in enumerate((3.0, 3.5, 3.0))}
    assert list(other_parameters(traces)) == []


def test_a_process_that_had_a_value_more_parted_there() -> None:
    """As where NumPy has written into a parameter: what is read then is a value of its own."""
    traces = {"rank 0": trained(*SAME), "rank 1": trained(1.0, 2.0, 2.5, 3.5, 4.5), "rank 2": trained(*SAME)}
    for event, step in zip(traces["rank 1"].events, (0, 1, 2, 2, 3), strict=True):
        event["step"] = step
    (deviation,) = find_deviations(traces)
    assert (deviation.names, deviation.steps, deviation.alike) == (("rank 1",), range(2, 4), 1)


def test_what_had_values_more_from_the_beginning_was_never_alike() -> None:
    traces = {"rank 0": trained(*SAME), "rank 1": trained(0.5, 1.0, 2.5, 3.0, 4.0), "rank 2": trained(*SAME)}
    for event, step in zip(traces["rank 1"].events, (0, 0, 1, 2, 3), strict=True):
        event["step"] = step
    assert find_deviations(traces) == []
