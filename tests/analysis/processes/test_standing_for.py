"""Whom one studies of a large run."""

from __future__ import annotations

from tensordbg.analysis.processes.standing_for import MOST_STUDIED, choose
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.workers import GOOD, RECEIVED, SENT, delayed, steps, worker

MANY = MOST_STUDIED + 4


def run(*kinds: TraceBuilder) -> dict[str, TraceBuilder]:
    """A run of many workers that are all well, but for the first."""
    workers = [*kinds, *(worker(steps(GOOD, GOOD)) for _ in range(MANY - len(kinds)))]
    return {f"worker {number}": each for number, each in enumerate(workers)}


def test_all_of_a_small_run_are_studied() -> None:
    processes = {"a": worker(steps(GOOD)), "b": worker(steps(GOOD))}
    assert choose(processes).stands_for == {"a": (), "b": ()}


def test_those_in_which_the_same_went_bad_are_one() -> None:
    processes = run(worker(steps(GOOD, RECEIVED)), worker(steps(GOOD, SENT)), worker(steps(GOOD, RECEIVED)))
    chosen = choose(processes)
    assert list(chosen.stands_for) == ["worker 0", "worker 1", "worker 3"]
    assert chosen.stands_for["worker 0"] == ("worker 2",)
    assert chosen.stands_for["worker 1"] == ()
    assert len(chosen.stands_for["worker 3"]) == MANY - 4
    assert not chosen.left


def test_what_went_bad_in_later_steps_makes_no_difference() -> None:
    longer, shorter = worker(steps(RECEIVED, SENT, SENT)), worker(steps(RECEIVED))
    assert choose(run(longer, shorter)).stands_for["worker 0"] == ("worker 1",)


def test_of_many_that_all_went_bad_in_another_way_the_earliest_are_studied() -> None:
    troubled = []
    for number in range(MANY):
        trace = TraceBuilder()
        for each in range(number + 1):
            trace.eager(f"Op{each}", values=nan if each == number else 1.0)
        troubled.append(delayed(trace, 1000 * (MANY - number)))
    chosen = choose({f"worker {number}": each for number, each in enumerate(troubled)})
    assert len(chosen.stands_for) + len(chosen.left) == MANY
    assert {f"worker {number}" for number in range(MANY - 4, MANY)} <= set(chosen.stands_for)
    assert len(chosen.left) > 0
