from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tensordbg.model import NONE, Health
from tensordbg.trace.reader import open_trace
from tests.trace.builder import CLOCK_OFFSET, Tensor, TraceBuilder, small_program
from tests.trace.samples import threaded_trace

HEALTH_COLUMNS = (
    *("negative", "zero", "positive", "neg_inf", "pos_inf", "nan", "subnormal", "first_bad"),
    *("min", "max", "sum", "sum_squares"),
)


@pytest.fixture
def build(tmp_path: Path) -> TraceBuilder:
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    return build


def tensors(build: TraceBuilder) -> list[dict[str, Any]]:
    return open_trace(build.finish()).table("tensors").to_pylist()


def test_every_column_of_a_tensor_in_a_graph(build: TraceBuilder) -> None:
    call = build.begin(5, 0, step=4)
    health = Health(100, 10, 20, 1, 2, 3, 5, -2.5, 7.5, 11.0, 13.0, 17)
    tensor = Tensor((100, 1), health, "float16", slot=3, path=1, frame=2**63 + 1, iteration=6, device=1, thread=2**31)
    build.graph_tensor(77, 4, tensor)
    build.end(call)
    (row,) = tensors(build)
    assert row == {
        "event": 0,
        "time_ns": 2000 + CLOCK_OFFSET,
        "execution": call,
        "step": 4,
        "run": 0,
        "site": 4,
        "slot": 3,
        "path": 1,
        "frame": 1 - 2**63,
        "iteration": 6,
        "device": "/device:CPU:0",
        "thread": 2**31,
        "dtype": "float16",
        "shape": "[100, 1]",
        "size": 100,
        "negative": 10,
        "zero": 20,
        "positive": 64,
        "neg_inf": 1,
        "pos_inf": 2,
        "nan": 3,
        "subnormal": 5,
        "first_bad": 17,
        "min": -2.5,
        "max": 7.5,
        "sum": 11.0,
        "sum_squares": 13.0,
        "value_position": None,
        "sum_abs": None,
        "sketch": None,
        "elements": None,
    }


def test_eager_tensor_belongs_to_its_execution(build: TraceBuilder) -> None:
    execution = build.begin(6, step=9)
    build.eager_tensor(execution, 6)
    build.eager_tensor(1234, 6)  # of none that has begun: damage
    (known,) = tensors(build)
    assert (known["execution"], known["step"], known["iteration"]) == (execution, 9, None)
    assert open_trace(build.folder).damage == 1


def test_tensor_of_no_execution(build: TraceBuilder) -> None:
    build.graph_tensor(77, 1)
    (row,) = tensors(build)
    assert (row["execution"], row["step"]) == (NONE, NONE)


def test_where_only_shapes_are_recorded_health_is_null(build: TraceBuilder) -> None:
    build.eager_tensor(build.begin(6), 6, Tensor((2, 3), health=None))
    (row,) = tensors(build)
    assert (row["shape"], row["size"]) == ("[2, 3]", 6)
    assert all(row[name] is None for name in HEALTH_COLUMNS)


def test_where_only_operations_are_recorded_the_shape_is_null_too(build: TraceBuilder) -> None:
    build.eager_tensor(build.begin(6), 6, Tensor(None, health=None))
    (row,) = tensors(build)
    assert (row["shape"], row["size"], row["dtype"]) == (None, None, "float32")
    assert all(row[name] is None for name in HEALTH_COLUMNS)


def test_scalar_and_no_finite_element(build: TraceBuilder) -> None:
    build.eager_tensor(build.begin(6), 6, Tensor((), Health(size=1, nan=1, first_bad=0)))
    (row,) = tensors(build)
    assert (row["shape"], row["size"], row["first_bad"]) == ("[]", 1, 0)
    assert row["min"] != row["min"]  # NaN, and not null


def test_numbers_without_a_name(build: TraceBuilder) -> None:
    build.eager_tensor(build.begin(6), 6, Tensor(device=55))
    build.records[-1]["dtype"] = 250
    (row,) = tensors(build)
    assert (row["device"], row["dtype"]) == ("", "unknown")


def test_events_are_numbered_without_gaps_over_segments_and_holes(build: TraceBuilder) -> None:
    execution = build.begin(6)
    for number in range(40):
        build.eager_tensor(execution, 6)
        if number % 7 == 0:
            build.hole()
    assert [row["event"] for row in tensors(build)] == list(range(40))


@pytest.mark.parametrize("seed", range(6))
def test_events_of_many_threads_find_their_execution(tmp_path: Path, seed: int) -> None:
    build, causes = threaded_trace(tmp_path / "trace", seed)
    reader = open_trace(build.finish())
    assert reader.table("tensors", ["execution"])["execution"].to_pylist() == causes
    executions = reader.table("executions", ["execution", "step"])
    step_of = dict(zip(*(executions[name].to_pylist() for name in ("execution", "step")), strict=True))
    assert reader.table("tensors", ["step"])["step"].to_pylist() == [step_of[cause] for cause in causes]
