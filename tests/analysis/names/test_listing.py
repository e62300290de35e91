from __future__ import annotations

import pytest

from tensordbg.analysis.names.listing import (
    SORT_KEYS,
    Listing,
    Order,
    Selection,
    list_tensors,
    list_tensors_of_run,
    split_slot,
)
from tensordbg.cli.commands import ls
from tensordbg.errors import UsageError
from tensordbg.model import Frame
from tensordbg.trace.reader import TraceReader
from tests.sample_trace import STEPS, TENSOR_EVENTS


def names(listing: Listing) -> list[str]:
    return [row.tensor for row in listing.rows]


def test_lists_everything_in_order(sample_reader: TraceReader) -> None:
    listing = list_tensors(sample_reader, Selection())
    assert listing.total == TENSOR_EVENTS
    assert [row.event for row in listing.rows] == list(range(TENSOR_EVENTS))
    assert names(listing)[:4] == ["x:0", "Log:0", "mul:0", "Add:0"]


def test_row_has_the_names_of_what_it_refers_to(sample_reader: TraceReader) -> None:
    row = list_tensors(sample_reader, Selection(non_finite=True)).rows[0]
    assert (row.op_name, row.op_type, row.function, row.step, row.dtype) == ("Log", "Log", "train", 2, "float32")
    assert (row.iteration, row.path, row.device, row.shape) == (None, "", "/device:CPU:0", (2, 3))
    assert row.source == Frame("/code/train.py", 3, "main", user=True)
    assert row.health is not None
    assert (row.health.neg_inf, row.health.zero, row.health.first_bad) == (1, 3, 2)
    assert (row.health.min, row.health.max) == (-3.0, 2.5)


def test_path_of_a_function_called(sample_reader: TraceReader) -> None:
    row = list_tensors(sample_reader, Selection(name="mul")).rows[0]
    assert (row.path, row.function) == ("call", "inner")


def test_eager_row_has_the_function_around_its_line(sample_reader: TraceReader) -> None:
    row = list_tensors(sample_reader, Selection(name="Add")).rows[0]
    assert (row.function, row.dtype, row.step) == ("main", "float64", 0)


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (Selection(op_types=("Log",)), {"Log:0"}),
        (Selection(op_types=("Log", "AddV2")), {"Log:0", "Add:0"}),
        (Selection(name="o"), {"Log:0"}),
        (Selection(name="?og"), {"Log:0"}),
        (Selection(name="L*:0"), {"Log:0"}),
        (Selection(name="Log:1"), set()),
        (Selection(tensor="Lo"), set()),
        (Selection(tensor="Log"), {"Log:0"}),
        (Selection(function="train"), {"x:0", "Log:0"}),
        (Selection(function="inn*"), {"mul:0"}),
        (Selection(function="inn"), set()),
        (Selection(file="train.py"), {"x:0", "Log:0", "mul:0", "Add:0"}),
        (Selection(file="code/train.py"), {"x:0", "Log:0", "mul:0", "Add:0"}),
        (Selection(file="rain.py"), set()),
        (Selection(name="it's"), set()),
        (Selection(non_finite=True, op_types=("AddV2",)), set()),
    ],
)
def test_selection(sample_reader: TraceReader, selection: Selection, found: set[str]) -> None:
    assert set(names(list_tensors(sample_reader, selection))) == found


@pytest.mark.parametrize(("steps", "count"), [((1, 1), 4), ((1, None), 8), ((None, 0), 4), ((5, 9), 0)])
def test_steps(sample_reader: TraceReader, steps: tuple[int | None, int | None], count: int) -> None:
    assert list_tensors(sample_reader, Selection(steps=steps)).total == count


def test_limit_keeps_the_total(sample_reader: TraceReader) -> None:
    listing = list_tensors(sample_reader, Selection(), Order(limit=2))
    assert (len(listing.rows), listing.total) == (2, TENSOR_EVENTS)


def test_sorted_by_a_statistic(sample_reader: TraceReader) -> None:
    listing = list_tensors(sample_reader, Selection(name="x"), Order(by="max", reverse=True))
    assert [row.step for row in listing.rows] == [2, 1, 0]


@pytest.mark.parametrize("key", SORT_KEYS)
def test_every_key_sorts(sample_reader: TraceReader, key: str) -> None:
    assert len(list_tensors(sample_reader, Selection(), Order(by=key)).rows) == 4 * STEPS


def test_other_keys_are_refused(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match="can't sort by 'colour'; choose one of event, step, "):
        list_tensors(sample_reader, Selection(), Order(by="colour"))


def test_command_knows_the_same_keys() -> None:
    assert tuple(SORT_KEYS) == ls.SORT_KEYS


@pytest.mark.parametrize(
    ("tensor", "parts"),
    [("Log", ("Log", None)), ("Log:0", ("Log", 0)), ("a/b:12", ("a/b", 12)), ("a:b", ("a:b", None))],
)
def test_split_slot(tensor: str, parts: tuple[str, int | None]) -> None:
    assert split_slot(tensor) == parts


def test_the_processes_of_a_run_by_time(run_readers: dict[str, TraceReader]) -> None:
    listing = list_tensors_of_run(run_readers, Selection(name="Log"))
    assert listing.total == 2 * STEPS
    assert [(row.process, row.step) for row in listing.rows] == [
        (f"worker {worker}", step) for step in range(STEPS) for worker in range(2)
    ]
    last = list_tensors_of_run(run_readers, Selection(), Order(reverse=True, limit=1))
    assert (last.total, [(row.process, row.tensor) for row in last.rows]) == (
        2 * TENSOR_EVENTS,
        [("worker 1", "Add:0")],
    )


@pytest.mark.parametrize("key", SORT_KEYS)
def test_a_run_is_sorted_as_a_trace_is(run_readers: dict[str, TraceReader], key: str) -> None:
    whole = list_tensors_of_run(run_readers, Selection(), Order(by=key, limit=0)).rows
    for name, reader in run_readers.items():
        alone = list_tensors(reader, Selection(), Order(by=key, limit=0)).rows
        assert [row.event for row in whole if row.process == name] == [row.event for row in alone]


def test_one_process_needs_no_name(sample_reader: TraceReader) -> None:
    assert {row.process for row in list_tensors(sample_reader, Selection()).rows} == {""}
