"""What the sums of all processes add to what was studied."""

from __future__ import annotations

from tensordbg.analysis.why import why_of_run
from tensordbg.report.findings.why_text import render
from tensordbg.wire.why import why_to_json
from tests.analysis.workers import GOOD, RECEIVED, SENT, steps, worker
from tests.trace.sums.test_totals import trained

MANY = 40


def many() -> dict[str, object]:
    """A run in which one worker went bad, and all others a step later."""
    sender = worker(steps(GOOD, SENT), size=MANY)
    others = [worker(steps(GOOD, RECEIVED), size=MANY) for _ in range(MANY - 1)]
    return {f"worker {number}": trace for number, trace in enumerate([*others[:5], sender, *others[5:]])}


def test_of_many_one_is_named_and_how_it_came_to_all_others() -> None:
    result = why_of_run(many())  # type: ignore[arg-type]
    (origin,) = result.origins
    (arrival,) = origin.arrivals
    assert (origin.process, arrival.process, len(arrival.alike)) == ("worker 5", "worker 0", MANY - 2)
    assert (result.tensor_events, result.non_finite_events, len(result.processes)) == (8 * MANY, MANY + 1, MANY)
    assert why_to_json(result)["origins"][0]["arrivals"][0]["alike"][0] == "worker 1"
    text = " ".join(render(result).split())
    assert "came from worker 5 to worker 0 and 38 more in step 1 by the all-reduce" in text
    assert "note: worker 0 was looked at for worker 1, worker 2, worker 3 and 35 more also" in text
    assert "and others; --json tells all." in text


def test_an_overflow_of_all_together_is_known_though_one_is_studied() -> None:
    large = ([1.0, 2.0], [3e38, 0.5], [float("inf"), 1.0])
    processes = {f"worker {number}": worker(steps(large), size=MANY) for number in range(MANY)}
    (origin,) = why_of_run(processes).origins
    assert origin.cause == "arithmetic_overflow"
    assert origin.explanation.startswith("All 40 put finite numbers into this all-reduce")


def test_who_differs_is_an_alert() -> None:
    processes = {"a": trained(1.0, 2.0), "b": trained(1.0, 2.5), "c": trained(1.0, 2.0)}
    assert [alert.kind for alert in why_of_run(processes).alerts] == ["other_parameters"]
