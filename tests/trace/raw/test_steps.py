from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from tensordbg.model import NONE, CallKind
from tensordbg.trace.program.calls import CallGraph
from tensordbg.trace.program.catalog import Catalog
from tensordbg.trace.raw import steps
from tensordbg.trace.raw.steps import KEPT_SEGMENTS, Calls, Marks, StepJoin
from tests.trace.builder import small_program

PROGRAM = small_program()
CATALOG = Catalog(
    sites={site.site: site for site in PROGRAM.sites},
    functions={function.function: function for function in PROGRAM.functions},
)


@dataclass
class Segment:
    """What happens, in order: `begin 4 0` (execution, function), `end 4`, `event 99 1` (step id, site)."""

    happenings: tuple[str, ...]
    columns: dict[str, list[list[int]]] = field(default_factory=dict)
    runs: list[int] = field(default_factory=list)
    """Of the events, once they are joined."""

    def __post_init__(self) -> None:
        for position, happening in enumerate(self.happenings):
            kind, *values = happening.split()
            self.columns.setdefault(kind, []).append([position, *map(int, values)])

    def column(self, kind: str, number: int) -> np.ndarray:
        return np.array([row[number] for row in self.columns.get(kind, [])], dtype=np.int64)

    def join(self, join: StepJoin, index: int = 0) -> list[int]:
        begins = Calls(*(self.column("begin", number) for number in range(3)), self.column("begin", 1) * 10)
        ends = Marks(self.column("end", 0), self.column("end", 1))
        events = Marks(self.column("event", 0), self.column("event", 1))
        joined = join.join(index, begins, ends, events, self.column("event", 2))
        assert joined.step.tolist() == [NONE if number == NONE else number * 10 for number in joined.execution]
        self.runs = joined.run.tolist()
        return joined.execution.tolist()


def new_join() -> StepJoin:
    return StepJoin(CallGraph(CATALOG))


def pipeline_join() -> StepJoin:
    """Function 0 gives function 1 to a pipeline, and does not call it."""
    given = replace(CATALOG.sites[2], op_type="MapDataset", call=CallKind.OTHER)
    return StepJoin(CallGraph(replace(CATALOG, sites={**CATALOG.sites, 2: given})))


@pytest.mark.parametrize(
    ("happenings", "expected"),
    [
        (["begin 1 0", "event 50 0", "event 50 1", "end 1"], [1, 1]),
        (["begin 1 0", "event 50 3", "end 1"], [1]),
        (["begin 1 1", "event 50 0", "end 1"], [NONE]),
        (["begin 1 0", "end 1", "event 50 0"], [NONE]),
        (["event 50 0", "begin 1 0", "event 50 0"], [NONE, NONE]),
        (["begin 1 0", "event 50 6", "event 51 99"], [NONE, NONE]),
        (["begin 1 0", "begin 2 0", "event 50 0", "event 51 0", "event 50 1"], [2, 1, 2]),
        (["begin 1 0", "event 50 0", "event 51 0"], [1, 1]),
        (["begin 1 0", "begin 2 0", "event 50 0", "event 51 0", "event 52 0"], [2, 1, 2]),
        (["begin 1 0", "event 50 0", "end 1", "begin 2 0", "event 51 0", "event 50 1"], [1, 2, 1]),
        (["begin 1 0", "begin 2 1", "event 50 3", "event 51 3"], [2, 1]),
        ([], []),
    ],
    ids=[
        "one call",
        "site of a function that it calls",
        "site of another function",
        "no call open",
        "what has begun without a call stays without",
        "eager and unknown sites",
        "the last begun first, then that without a step id",
        "more step ids than calls",
        "all have a step id: the last",
        "a step id stays with its call after that has ended",
        "two functions that both have the site",
        "nothing",
    ],
)
def test_the_rule(happenings: list[str], expected: list[int]) -> None:
    assert Segment(tuple(happenings)).join(new_join()) == expected


@pytest.mark.parametrize("cut", range(1, 9))
def test_segments_end_anywhere(cut: int) -> None:
    happenings = (
        *("begin 1 0", "event 50 0", "begin 2 0", "event 51 0", "event 50 1", "end 1", "begin 3 1", "event 52 4"),
        *("event 51 1", "end 2", "event 53 3", "event 50 2"),
    )
    whole = Segment(happenings).join(new_join())
    join = new_join()
    first = Segment(happenings[:cut]).join(join, 0)
    state = json.loads(json.dumps(join.state()))
    assert first + Segment(happenings[cut:]).join(StepJoin(CallGraph(CATALOG), state), 1) == whole


def test_each_run_outside_of_an_execution_has_a_number() -> None:
    segment = Segment(("event 50 3", "event 51 3", "event 50 4", "event 52 3", "event 51 4", "event 52 4"))
    assert segment.join(new_join()) == [NONE] * 6
    assert segment.runs == [1, 2, 1, 3, 2, 3]


def test_the_runs_of_a_pipeline_within_a_call_are_numbered_and_that_of_the_call_is_not() -> None:
    join = pipeline_join()
    segment = Segment(("begin 1 0", "event 50 3", "event 51 0", "event 52 3", "event 50 4", "event 51 1", "event 52 4"))
    assert segment.join(join) == [1] * 6
    assert segment.runs == [1, 0, 2, 1, 0, 2]
    later = Segment(("event 51 2", "event 52 4", "end 1", "event 53 3"))
    assert later.join(StepJoin(join._calls, json.loads(json.dumps(join.state()))), 1) == [1, 1, NONE]
    assert later.runs == [0, 2, 3]


def test_a_run_of_a_pipeline_is_not_taken_for_that_of_the_call() -> None:
    segment = Segment(("begin 1 0", "begin 2 0", "event 50 3", "event 51 0", "event 52 0"))
    assert segment.join(pipeline_join()) == [2, 2, 1]
    assert segment.runs == [1, 0, 0]


def test_forgets_step_ids_but_not_those_of_open_calls() -> None:
    join = new_join()
    Segment(("begin 1 0", "event 50 0", "begin 2 0", "event 51 0", "end 2")).join(join, 0)
    for index in range(1, KEPT_SEGMENTS + 1):
        Segment(("event 50 0",)).join(join, index) if index == 1 else Segment(()).join(join, index)
    assert [entry[0] for entry in join.state()[0]] == [50]


def test_a_run_of_a_pipelines_function_may_wait_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "KEPT_RUNS", 2)
    join = new_join()
    first = Segment(tuple(f"event {number} 3" for number in (70, 71, 72)))
    first.join(join, 0)
    for index in range(1, KEPT_SEGMENTS + 3):
        Segment(("begin 1 0", f"event {100 + index} 0", "end 1")).join(join, index)
    later = Segment(("event 72 4", "event 71 4", "event 70 4"))
    later.join(StepJoin(join._calls, json.loads(json.dumps(join.state()))), KEPT_SEGMENTS + 3)
    assert first.runs == [1, 2, 3]
    # The one that began first is forgotten.
    assert later.runs == [3, 2, 4]
