from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensordbg.errors import RecordingError
from tensordbg.health import measure
from tensordbg.model import NONE, SOMEWHERE, Function, Health, Site
from tensordbg.trace.events import (
    UNKNOWN_INPUT,
    EventWriter,
    ExecutionEvent,
    Moment,
    TensorEvent,
    input_reference,
)
from tensordbg.trace.raw.record import MAX_INPUTS, RecordFlag
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.trace.sealed.seal import seal_all
from tensordbg.trace.writer import TraceWriter
from tests.trace.builder import builder_metadata

SLOTS = 8
COUNTED = ("neg_inf", "pos_inf", "nan")
SIGNS = ("negative", "zero", "positive")
REST = ("subnormal", "min", "max", "sum", "sum_squares")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    writer = TraceWriter.create(tmp_path / "trace", replace(builder_metadata(SLOTS), clock_offset_ns=0))
    writer.sites([Site(0, "Log", "Log", NONE, NONE), Site(1, "f", "PartitionedCall", NONE, NONE)])
    writer.function(Function(4, "f", "f_4", 4))
    writer.close()
    return tmp_path / "trace"


def one_tensor(folder: Path, event: TensorEvent) -> dict[str, Any]:
    with EventWriter(folder, SLOTS) as events:
        events.tensor(events.begin(ExecutionEvent(0, 0), 5), (0, 0), event, Moment(6))
    (row,) = open_trace(folder).table("tensors").to_pylist()
    return dict(row)


def test_events_over_many_segments(folder: Path) -> None:
    with EventWriter(folder, SLOTS) as events:
        events.names("path", ["", "while/body"])
        events.names("device", ["", "/device:CPU:0"])
        for step in range(10):
            call = events.begin(ExecutionEvent(1, step, 4, [UNKNOWN_INPUT]), 100 * step)
            for turn in range(3):
                events.tensor(call, (0, 1), TensorEvent(), Moment(100 * step + turn, 1, 9, turn, 1))
            events.end(call, 100 * step + 50)
    assert events.tensors == 30
    raw = check(open_trace(folder))
    seal_all(folder)
    assert check(open_trace(folder)) == raw


def check(reader: TraceReader) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = reader.table("tensors").to_pylist()
    assert [(row["execution"], row["step"], row["iteration"]) for row in rows] == [
        (step + 1, step, turn) for step in range(10) for turn in range(3)
    ]
    assert {(row["path"], row["frame"], row["device"], row["slot"]) for row in rows} == {(1, 9, "/device:CPU:0", 1)}
    executions = reader.table("executions")
    assert executions.column("end_ns").to_pylist() == [100 * step + 50 for step in range(10)]
    assert executions.column("function").to_pylist() == [4] * 10
    assert reader.paths()[1] == "while/body"
    assert reader.damage == 0
    return rows


def test_many_inputs_of_an_execution(folder: Path) -> None:
    inputs = [input_reference(number + 1, number % 3) for number in range(2 * MAX_INPUTS + 1)]
    with EventWriter(folder, SLOTS) as events:
        events.begin(ExecutionEvent(0, 0, inputs=inputs), 5)
    (row,) = open_trace(folder).table("executions").to_pylist()
    assert (row["inputs"], row["function"], row["end_ns"]) == (inputs, NONE, 5)


def test_nothing_written_is_an_empty_trace(folder: Path) -> None:
    with EventWriter(folder, SLOTS):
        pass
    assert open_trace(folder).tensor_count == 0


def test_shape_and_size(folder: Path) -> None:
    row = one_tensor(folder, TensorEvent("int64", (2, 3), 6))
    assert (row["dtype"], row["shape"], row["size"], row["first_bad"]) == ("int64", "[2, 3]", 6, None)


def test_size_without_shape(folder: Path) -> None:
    row = one_tensor(folder, TensorEvent("int64", None, 40320))
    assert (row["shape"], row["size"]) == (None, 40320)


def test_nothing_known(folder: Path) -> None:
    row = one_tensor(folder, TensorEvent())
    assert [row[name] for name in ("shape", "size", "first_bad", *COUNTED, *SIGNS, *REST)] == [None] * 14


@pytest.mark.parametrize(
    ("flags", "known"),
    [
        (RecordFlag.FINITENESS, {"first_bad"}),
        (RecordFlag.FINITENESS | RecordFlag.SPECIALS, {"first_bad", *COUNTED}),
        (RecordFlag.FINITENESS | RecordFlag.SPECIALS | RecordFlag.SIGNS, {"first_bad", *COUNTED, *SIGNS}),
        (RecordFlag.HEALTH, {"first_bad", *COUNTED, *SIGNS, *REST}),
    ],
)
def test_health_that_was_measured_in_part(folder: Path, flags: RecordFlag, known: set[str]) -> None:
    health = Health(10, 1, 2, 1, 1, 1, 1, 0.5, 2.0, 3.0, 4.0, SOMEWHERE)
    row = one_tensor(folder, TensorEvent(size=10, health=health, flags=flags))
    measured = {name for name in ("first_bad", *COUNTED, *SIGNS, *REST) if row[name] is not None}
    assert measured == known
    assert row["first_bad"] == SOMEWHERE
    if "positive" in known:
        assert (row["negative"], row["zero"], row["positive"]) == (1, 2, 4)


def test_a_folder_that_is_gone(folder: Path, tmp_path: Path) -> None:
    events = EventWriter(tmp_path / "none", SLOTS)
    with pytest.raises(RecordingError, match="choose another folder"):
        events.names("path", [""])
    with pytest.raises(RecordingError, match="choose another folder"), events:
        pass


def test_elements_are_kept_where_they_are_given(tmp_path: Path) -> None:
    arrays = [np.arange(5, dtype=np.float32), np.array(True), np.zeros([0, 2]), np.full([3, 3], 2 + 1j, np.complex64)]
    writer = TraceWriter.create(tmp_path / "trace", builder_metadata(16))
    writer.sites([Site(0, "Exp", "Exp", NONE, NONE)])
    with EventWriter(writer.folder, 16) as events:
        for step, array in enumerate(arrays):
            execution = events.begin(ExecutionEvent(0, step), 1000)
            health = measure(array)
            event = TensorEvent(array.dtype.name, array.shape, array.size, health, RecordFlag.HEALTH, array)
            events.tensor(execution, (0, 0), event, Moment(1000))
        events.names("path", [""])
        events.names("device", [""])
    writer.close()
    reader = open_trace(writer.folder)
    for number, array in enumerate(arrays):
        np.testing.assert_array_equal(reader.value(number), array)
