"""A run of many processes: who went bad first, and how it came to the others."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.why import why, why_of_run
from tensordbg.model import TensorRef
from tensordbg.trace.program.facts import End, TraceFacts
from tests.analysis.builder import TraceBuilder, inf, nan
from tests.analysis.workers import GOOD, RECEIVED, SENT, delayed, reduction, steps, worker


def test_the_process_that_sent_it_is_named_and_the_way_to_the_other() -> None:
    result = why_of_run({"worker 0": worker(steps(GOOD, RECEIVED)), "worker 1": worker(steps(GOOD, SENT))})
    (origin,) = result.origins
    assert (origin.process, origin.view.tensor, origin.view.step) == ("worker 1", "gradient_tape/Reciprocal:0", 1)
    (arrival,) = origin.arrivals
    assert (arrival.process, arrival.sender, arrival.kind) == ("worker 0", "worker 1", "all-reduce")
    assert (arrival.view.tensor, arrival.view.step, arrival.reaches) == ("CollectiveReduceV2:0", 1, ("output",))
    assert set(origin.reaches) == {"gradient", "output"}


def test_numbers_of_the_run() -> None:
    result = why_of_run({"worker 0": worker(steps(GOOD, RECEIVED)), "worker 1": worker(steps(GOOD, SENT))})
    assert (result.status, result.tensor_events, result.non_finite_events, result.steps) == ("non_finite", 16, 3, 2)
    assert [(each.name, each.tensor_events, each.non_finite_events, each.steps) for each in result.processes] == [
        ("worker 0", 8, 1, 2),
        ("worker 1", 8, 2, 2),
    ]


def test_clocks_do_not_matter_for_who_sent_it() -> None:
    ahead = delayed(worker(steps(GOOD, SENT)), 10**15)
    (origin,) = why_of_run({"a": worker(steps(GOOD, RECEIVED)), "b": ahead}).origins
    assert origin.process == "b"


def test_both_went_bad_by_themselves_the_earlier_first() -> None:
    late = delayed(worker(steps(SENT)), 10**6)
    result = why_of_run({"a": late, "b": worker(steps(SENT))})
    assert [(origin.process, origin.arrivals) for origin in result.origins] == [("b", ()), ("a", ())]


def test_with_one_trace_alone_the_other_process_is_blamed() -> None:
    (origin,) = why(worker(steps(GOOD, RECEIVED))).origins
    assert (origin.cause, origin.process, origin.arrivals) == ("from_another_process", "", ())


def test_the_sender_was_not_recorded() -> None:
    third = {"a": worker(steps(RECEIVED), size=3), "b": worker(steps(RECEIVED), size=3)}
    assert [origin.cause for origin in why_of_run(third).origins] == ["from_another_process"] * 2


def test_what_all_put_in_was_finite() -> None:
    large = ([1.0, 2.0], [3e38, 0.5], [inf, 1.0])
    (origin,) = why_of_run({"a": worker(steps(large)), "b": worker(steps(large))}).origins
    assert (origin.process, origin.cause) == ("a", "arithmetic_overflow")
    assert origin.explanation == (
        "All 2 put finite numbers into this all-reduce, up to 3e38 here, and 1 +inf among 2 elements came out: "
        "together they were beyond 3.403e38, the largest number of float32."
    )
    assert [arrival.process for arrival in origin.arrivals] == ["b"]


def chain(first: float, second: float, out: tuple[float, float], groups: tuple[int, int]) -> TraceBuilder:
    """A process that reduces with one neighbour, then with the other."""
    trace = TraceBuilder()
    f = trace.function("f")
    x, instance = f.argument("x"), f.argument("instance", "int32")
    one = reduction(f, f.op("Log", x), instance, groups[0], 2)
    two = reduction(f, one, instance, groups[1], 2)
    f.returns(two)
    run = trace.run(f)
    run.event(x, first)
    run.event(instance, 100)
    run.event(output_of(trace, "Log"), second)
    run.event(one, out[0])
    run.event(two, out[1])
    return trace


def output_of(trace: TraceBuilder, name: str) -> TensorRef:
    return TensorRef(next(row["site"] for row in trace.sites if row["name"] == name), 0)


def test_from_one_to_the_next() -> None:
    result = why_of_run(
        {
            "a": chain(-1.0, nan, (nan, nan), (1, 9)),
            "b": chain(1.0, 0.0, (nan, nan), (1, 2)),
            "c": chain(1.0, 0.0, (0.0, nan), (3, 2)),
        }
    )
    (origin,) = result.origins
    assert origin.process == "a"
    assert [(arrival.process, arrival.sender) for arrival in origin.arrivals] == [("b", "a"), ("c", "b")]


def test_replicas_within_one_process() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x, y, instance = f.argument("x"), f.argument("y"), f.argument("instance", "int32")
    logs = [f.op("Log", each) for each in (x, y)]
    sums = [reduction(f, log, instance, 1, 2) for log in logs]
    f.returns(*sums)
    run = trace.run(f)
    for ref, value in ((x, 1.0), (y, -1.0), (instance, 100), (logs[0], 0.0), (logs[1], nan)):
        run.event(ref, value)
    for each in sums:
        run.event(each, nan)
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.arrivals) == ("Log_1:0", ())


def test_notes_name_their_processes_unless_all_say_the_same() -> None:
    first, second = worker(steps(GOOD)), worker(steps(GOOD))
    common = TraceFacts(warnings=("both",), end=End(0))
    first.facts, second.facts = common, replace(common, warnings=("both", "alone"))
    assert why_of_run({"a": first, "b": second}).notes == ("both", "b: alone")


def test_all_finite() -> None:
    result = why_of_run({"a": worker(steps(GOOD)), "b": worker(steps(GOOD))})
    assert (result.status, result.origins) == ("finite", ())
