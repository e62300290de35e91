"""A run that workers read, by an engine in this process: all that goes to and fro is pickled, as between machines."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from tensordbg.analysis import spread
from tensordbg.analysis.spread import why_by_engine
from tensordbg.analysis.why import why_of_run
from tensordbg.engines.engine import Lost
from tensordbg.errors import TraceError
from tests.analysis.builder import TraceBuilder
from tests.analysis.workers import GOOD, RECEIVED, SENT, steps, worker
from tests.trace.sums.test_totals import trained

MANY = 20


class Here:
    """An engine whose workers are this process."""

    def __init__(self, lost: Sequence[str] = ()) -> None:
        self.asked: list[str] = []
        self._lost = lost

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        self.asked += items
        sent = pickle.loads(pickle.dumps(function))
        return [self._answer(sent, item) for item in items]

    def _answer(self, function: Callable[[Any], Any], item: str) -> Any:
        # The first question is answered yet.
        if item in self._lost and self.asked.count(item) > 1:
            return Lost("died")
        return pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(item)))))


Place = Callable[[Mapping[str, TraceBuilder]], dict[str, str]]


@pytest.fixture
def placed(monkeypatch: pytest.MonkeyPatch) -> Place:
    """Has the traces of processes found at locations, which are given."""

    def place(processes: Mapping[str, TraceBuilder]) -> dict[str, str]:
        def opened(location: str) -> TraceBuilder:
            if location not in processes:
                raise TraceError(f"{location}: does not exist; give a trace")
            return processes[location]

        monkeypatch.setattr(spread, "open_trace", opened)
        return {name: name for name in processes}

    return place


def many() -> dict[str, TraceBuilder]:
    """A run in which one worker went bad, and all others a step later."""
    others = [worker(steps(GOOD, RECEIVED), size=MANY) for _ in range(MANY - 1)]
    traces = [*others[:5], worker(steps(GOOD, SENT), size=MANY), *others[5:]]
    return {f"worker {number}": trace for number, trace in enumerate(traces)}


@pytest.mark.parametrize(
    "processes",
    [
        {"": worker(steps(GOOD, SENT))},
        {"a": worker(steps(GOOD, RECEIVED)), "b": worker(steps(GOOD, SENT))},
        {"a": trained(1.0, 2.0), "b": trained(1.0, 2.5), "c": trained(1.0, 2.0)},
        many(),
    ],
    ids=["one", "two", "unlike", "many"],
)
def test_the_answer_is_that_of_reading_here(processes: dict[str, TraceBuilder], placed: Place) -> None:
    answer = why_by_engine(Here(), placed(processes))
    assert answer.result == why_of_run(processes)
    assert not answer.unread


def test_of_many_a_few_are_read_twice(placed: Place) -> None:
    engine = Here()
    why_by_engine(engine, placed(many()))
    assert len(engine.asked) == MANY + 2


def test_a_trace_that_a_worker_can_not_read_is_named_and_the_rest_is_answered(placed: Place) -> None:
    processes = {"a": worker(steps(GOOD, RECEIVED)), "b": worker(steps(GOOD, SENT))}
    answer = why_by_engine(Here(), {**placed(processes), "c": "elsewhere"})
    assert answer.unread == {"c": "elsewhere: does not exist; give a trace"}
    assert answer.result.notes[-1] == "c was not read: elsewhere: does not exist; give a trace"
    assert answer.result.origins == why_of_run(processes).origins


def test_for_one_that_can_not_be_studied_another_of_its_group_is(placed: Place) -> None:
    answer = why_by_engine(Here(lost=["worker 0"]), placed(many()))
    assert answer.unread == {"worker 0": "died"}
    (origin,) = answer.result.origins
    assert (origin.process, [each.process for each in origin.arrivals]) == ("worker 5", ["worker 1"])


def test_where_none_can_be_read_there_is_no_answer(placed: Place) -> None:
    placed({})
    with pytest.raises(TraceError, match="no worker could read a trace; a: x: does not exist"):
        why_by_engine(Here(), {"a": "x", "b": "y"})


def test_a_worker_of_another_version_says_so(placed: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    locations = placed({"": worker(steps(GOOD))})

    class Older(Here):
        def _answer(self, function: Callable[[Any], Any], item: str) -> Any:
            with monkeypatch.context() as there:
                there.setattr(spread, "__version__", "0.0.1")
                return super()._answer(function, item)

    with pytest.raises(TraceError, match=r"the worker has tensordbg 0\.0\.1, and here is .*; install the same on both"):
        why_by_engine(Older(), locations)
