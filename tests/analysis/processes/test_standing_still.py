"""Processes that all others wait for; a real one is in e2e/test_workers_compared.py."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from tensordbg.analysis.finding import Alert
from tensordbg.analysis.processes.standing_still import standing_still
from tensordbg.trace.program.facts import End
from tests.analysis.builder import TraceBuilder
from tests.analysis.workers import GOOD, delayed, steps, worker


def run(*lengths: int, end: End | None = None) -> dict[str, TraceBuilder]:
    """Workers that took part in so many reductions each."""
    workers = {}
    for number, length in enumerate(lengths):
        trace = workers[f"worker {number}"] = worker(steps(*[GOOD] * length))
        trace.facts = replace(trace.facts, end=end)
    return workers


def told(processes: Mapping[str, TraceBuilder]) -> list[Alert]:
    return list(standing_still(processes))


def test_the_one_that_began_fewer_is_waited_for() -> None:
    (alert,) = told(run(3, 2, 3))
    assert alert.explanation == (
        "worker 1 began 2 of the operations that all processes run together, the others 3, and waited for it; the last "
        "that it computed was CollectiveReduceV2:0 in step 1"
    )
    assert (alert.process, alert.evidence["processes"]) == ("worker 1", ["worker 1"])


def test_a_killed_one_too() -> None:
    assert len(told(run(3, 2, 3, end=End(0, signal=9)))) == 1


def test_one_that_ended_by_itself_is_not_waited_for() -> None:
    assert not told(run(3, 2, 3, end=End(0, exit_code=0)))


def test_where_many_differ_they_work_in_groups_of_their_own() -> None:
    assert not told(run(3, 2, 2, 3))
    assert not told(run(3, 2, 4))
    assert not told(run(3, 1, 1))


def test_processes_that_take_part_in_nothing_do_not_count() -> None:
    assert [alert.process for alert in told(run(3, 0, 3, 2))] == ["worker 3"]


def test_while_something_moves_nothing_is_said() -> None:
    assert not told({name: delayed(trace, time.time_ns()) for name, trace in run(3, 2, 3).items()})
