"""What went through the operations that processes run together, as one process saw it."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.origins.find import find_origins
from tensordbg.analysis.origins.reporter import report_origins
from tensordbg.analysis.processes.collective_transfers import KINDS, CollectiveTransfers, find_transfers
from tensordbg.analysis.program.details import Details
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder, located, nan
from tests.analysis.workers import GOOD, RECEIVED, SENT, reduction, steps, worker


def transfers(trace: TraceBuilder) -> CollectiveTransfers:
    values = located(trace)
    details = Details(trace, values.program)
    origins = find_origins(values, details)
    return find_transfers(origins, [trouble.nodes for trouble in report_origins(origins, details)], details)


def test_nothing_runs_together() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    trace.run(f).event(x, nan)
    assert len(transfers(trace)) == 0


def test_sent_and_received_bear_one_key() -> None:
    sender, receiver = transfers(worker(steps(GOOD, SENT, SENT))), transfers(worker(steps(GOOD, RECEIVED, SENT)))
    assert sender.key.tolist() == receiver.key.tolist()
    assert len(set(sender.key.tolist())) == 2
    assert (sender.received.tolist(), receiver.received.tolist()) == ([False, False], [True, False])
    assert {KINDS[kind] for kind in sender.kind.tolist()} == {"all-reduce"}
    assert sender.parties.tolist() == [2, 2]
    assert receiver.origin.tolist() == [0, 1]


def test_another_run_or_group_has_another_key() -> None:
    keys = [
        transfers(worker(steps(RECEIVED))).key[0],
        transfers(worker(steps(RECEIVED, first=200))).key[0],
        transfers(worker(steps(RECEIVED), group=2)).key[0],
    ]
    assert len(set(keys)) == 3


def test_a_number_that_was_not_recorded_is_counted_out() -> None:
    traces = [worker(steps(GOOD, SENT, SENT)), worker(steps(GOOD, RECEIVED, RECEIVED))]
    for trace in traces:
        trace.events = [event for event in trace.events if event["dtype"] != "int32"]
        for number, event in enumerate(trace.events):
            event["event"] = number
    first, second = (transfers(trace) for trace in traces)
    assert first.key.tolist() == second.key.tolist()
    assert len(set(first.key.tolist())) == 2


def test_a_number_given_to_a_function_that_another_calls() -> None:
    def nested() -> TraceBuilder:
        trace = TraceBuilder()
        inner = trace.function("replica")
        gradient, instance = inner.argument("gradient"), inner.argument("instance", "int32")
        total = reduction(inner, gradient, instance, 1, 2)
        inner.returns(total)
        outer = trace.function("train_step")
        given, number = outer.argument("gradient"), outer.argument("instance", "int32")
        outer.returns(*outer.call(inner, given, number))
        for k in range(2):
            run = trace.run(outer)
            run.event(given, [1.0, 2.0])
            run.event(number, 100 + k)
            run.event(total, [nan, 2.0], path="PartitionedCall")
        return trace

    found = transfers(nested())
    assert found.key.tolist() == transfers(nested()).key.tolist()
    assert len(set(found.key.tolist())) == 2
    flat = transfers(worker(steps(RECEIVED, RECEIVED)))
    assert found.key.tolist() == flat.key.tolist()


def test_turns_of_a_loop_share_a_number() -> None:
    def looping() -> TraceBuilder:
        trace = TraceBuilder()
        cond = trace.function("while_cond")
        cond.argument("gradient"), cond.argument("instance", "int32")
        cond.returns(cond.op("Const", dtype="bool"))
        body = trace.function("while_body")
        gradient, instance = body.argument("gradient"), body.argument("instance", "int32")
        total = reduction(body, gradient, instance, 1, 2)
        body.returns(gradient, instance)
        outer = trace.function("train_steps")
        given, number = outer.argument("gradient"), outer.argument("instance", "int32")
        outer.returns(*outer.loop(cond, body, given, number))
        for call in range(2):
            run = trace.run(outer)
            run.event(given, [1.0, 2.0])
            run.event(number, 100 + call)
            for turn in range(3):
                run.event(total, [nan, 1.0], path="while/body/_2", frame=7, iteration=turn)
        return trace

    keys = transfers(looping()).key.tolist()
    assert len(set(keys)) == 6
    assert keys == transfers(looping()).key.tolist()
    flat = transfers(worker(steps(RECEIVED, RECEIVED))).key.tolist()
    assert [keys[0], keys[3]] == flat  # the first turn, by the numbers of both calls


def test_eager_runs_are_known_by_what_they_were_given() -> None:
    def eager(first: int) -> CollectiveTransfers:
        trace = TraceBuilder()
        inputs = (([1.0], "float32"), (2, "int32"), (1, "int32"), (first, "int32"))
        given = [trace.output(trace.eager("Input", values=value, dtype=dtype)) for value, dtype in inputs]
        trace.eager("CollectiveReduceV2", *given, values=[nan])
        return transfers(trace)

    assert eager(100).key[0] == transfers(worker(steps(RECEIVED))).key[0]
    assert eager(101).key[0] != eager(100).key[0]


def test_nameless_runs_are_counted() -> None:
    def broadcasts(op_type: str, *values: float) -> CollectiveTransfers:
        trace = TraceBuilder()
        for value in values:
            given = trace.output(trace.eager("Input", values=value))
            trace.eager(op_type, *[given][: int(op_type.endswith("Send"))], values=value)
        return transfers(trace)

    sent, received = broadcasts("CollectiveBcastSend", 1.0, nan), broadcasts("CollectiveBcastRecv", 1.0, nan)
    assert sent.key.tolist() == received.key.tolist()
    assert (sent.received.tolist(), received.received.tolist()) == ([False], [True])


def test_of_each_operation_the_number_of_parties_is_known_or_none() -> None:
    trace = TraceBuilder()
    trace.eager("CollectiveBcastRecv", values=nan)
    assert np.array_equal(transfers(trace).parties, [NONE])
