from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tensordbg.model import NONE
from tensordbg.trace.raw.executions import ExecutionAssembly, Executions, is_ordered, one_of_each
from tensordbg.trace.raw.record import EXECUTION_RECORD, RecordFlag
from tests.trace.builder import TraceBuilder

OFFSET = 1000


@pytest.fixture
def build(tmp_path: Path) -> TraceBuilder:
    return TraceBuilder(tmp_path / "trace")


def records(build: TraceBuilder) -> np.ndarray:
    return build.all_records().view(EXECUTION_RECORD)


def rows(executions: Executions) -> list[dict]:
    return executions.to_table().to_pylist()


def test_puts_a_call_together(build: TraceBuilder) -> None:
    call = build.begin(site=5, function=0, step=3, inputs=range(60), thread=9)
    build.end(call, RecordFlag.FAILED)
    assembly = ExecutionAssembly(OFFSET)
    assert rows(assembly.add(records(build))) == [
        {
            "execution": 1,
            "function": 0,
            "site": 5,
            "step": 3,
            "thread": 9,
            "begin_ns": 1000 + OFFSET,
            "end_ns": 4000 + OFFSET,
            "failed": True,
            "inputs": list(range(60)),
        }
    ]
    assert len(assembly.unfinished()) == 0


def test_eager_operation_is_complete_with_its_beginning(build: TraceBuilder) -> None:
    build.begin(site=6, inputs=[-1])
    (row,) = rows(ExecutionAssembly(OFFSET).add(records(build)))
    assert (row["function"], row["end_ns"], row["failed"], row["inputs"]) == (NONE, row["begin_ns"], False, [-1])


def test_an_eager_operation_that_failed_says_so_at_its_beginning(build: TraceBuilder) -> None:
    build.begin(site=6)
    build.begin(site=6)
    begun = records(build)
    begun["flags"][1] = RecordFlag.FAILED
    assert [row["failed"] for row in rows(ExecutionAssembly(OFFSET).add(begun))] == [False, True]


def test_call_without_an_end_is_unfinished(build: TraceBuilder) -> None:
    build.begin(site=5, function=0)
    assembly = ExecutionAssembly(OFFSET)
    assert len(assembly.add(records(build))) == 0
    assert rows(assembly.unfinished())[0]["end_ns"] is None


def test_ends_and_inputs_of_unknown_executions_are_dropped(build: TraceBuilder) -> None:
    build.end(99)
    build.begin(site=6, inputs=range(30))
    assert rows(ExecutionAssembly(OFFSET).add(records(build)[[0, 2]])) == []


def pieces(build: TraceBuilder) -> np.ndarray:
    lasting = build.begin(site=5, function=0, inputs=range(50))
    build.begin(site=6, inputs=range(24))
    call = build.begin(site=5, function=1)
    build.begin(site=6, inputs=range(47))
    build.end(call)
    build.end(lasting)
    return records(build)


@pytest.mark.parametrize("cut", range(10))
def test_segments_end_anywhere(build: TraceBuilder, cut: int) -> None:
    parts = pieces(build)
    assembly = ExecutionAssembly(OFFSET)
    whole = rows(assembly.add(parts)) + rows(assembly.unfinished())
    first = ExecutionAssembly(OFFSET)
    found = rows(first.add(parts[:cut]))
    second = ExecutionAssembly(OFFSET, json.loads(json.dumps(first.state())))
    found += rows(second.add(parts[cut:]))
    found += rows(second.unfinished())
    assert by_number(found) == by_number(whole)


def by_number(found: list[dict]) -> list[dict]:
    return sorted(found, key=lambda row: row["execution"])


def test_knows_steps_of_eager_executions_in_the_next_segment_too(build: TraceBuilder) -> None:
    for step in range(10):
        build.begin(site=6, step=100 + step)
    assembly = ExecutionAssembly(OFFSET)
    assembly.add(records(build))
    assert assembly.steps_of(np.array([1, 10, 11])).tolist() == [100, 109, NONE]
    assembly.add(records(build)[:0])
    assert assembly.steps_of(np.array([1, 10])).tolist() == [NONE, 109]


def test_nothing_known_yet() -> None:
    assert ExecutionAssembly(OFFSET).steps_of(np.array([4])).tolist() == [NONE]


def test_of_several_with_one_number_the_first_stays() -> None:
    first = pa.table({"execution": [3, 1, 3, 2, 1], "step": [0, 1, 2, 3, 4]})
    assert not is_ordered(first)
    assert one_of_each(first).to_pydict() == {"execution": [1, 2, 3], "step": [1, 3, 0]}
    assert is_ordered(one_of_each(first))
    assert is_ordered(one_of_each(first.slice(0, 0)))
