"""A record whose numbers stand for nothing is damage: counted, left out, and nobody allocates memory for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensordbg.trace.raw.record import EXECUTION_RECORD, TENSOR_RECORD, RecordKind
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.seal import seal_all
from tests.sample_trace import TENSOR_EVENTS, make_sample_trace

BILLIONS = 2_000_000_000
LAST = 2**32 - 1


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return make_sample_trace(tmp_path / "trace")


def change(trace: Path, kind: RecordKind, field: str, value: Any) -> None:
    """Puts a value into a field of the first record of a kind, as one bad byte does."""
    path = trace / "segments" / "000000.bin"
    records = np.fromfile(path, TENSOR_RECORD)
    records.view(EXECUTION_RECORD)[field][np.flatnonzero(records["kind"] == kind)[0]] = value
    records.tofile(path)


@pytest.mark.parametrize("field", ["site", "path"])
@pytest.mark.parametrize("value", [7, 2**21 + 100, BILLIONS, LAST])
@pytest.mark.parametrize("kind", [RecordKind.GRAPH_TENSOR, RecordKind.EAGER_TENSOR])
def test_a_tensor_of_an_unknown_site_or_path(trace: Path, kind: RecordKind, field: str, value: int) -> None:
    change(trace, kind, field, value)
    reader = open_trace(trace)
    assert (reader.tensor_count, reader.damage) == (TENSOR_EVENTS - 1, 1)
    assert reader.table("tensors").column("event").to_pylist() == list(range(TENSOR_EVENTS - 1))
    seal_all(trace)
    assert (open_trace(trace).tensor_count, open_trace(trace).damage) == (TENSOR_EVENTS - 1, 1)


@pytest.mark.parametrize(("kind", "slot"), [(RecordKind.GRAPH_TENSOR, 64), (RecordKind.EAGER_TENSOR, 65535)])
def test_a_tensor_of_an_unknown_output(trace: Path, kind: RecordKind, slot: int) -> None:
    change(trace, kind, "slot", slot)
    assert (open_trace(trace).tensor_count, open_trace(trace).damage) == (TENSOR_EVENTS - 1, 1)


@pytest.mark.parametrize("value", [0, -1, 100, 2**62])
def test_a_tensor_of_an_unknown_execution(trace: Path, value: int) -> None:
    change(trace, RecordKind.EAGER_TENSOR, "owner", value)
    assert (open_trace(trace).tensor_count, open_trace(trace).damage) == (TENSOR_EVENTS - 1, 1)


@pytest.mark.parametrize(
    ("field", "value"),
    [("site", BILLIONS), ("function", BILLIONS), ("iteration", -1), ("iteration", 2**60), ("owner", 2**50)],
)
def test_an_execution_of_something_unknown(trace: Path, field: str, value: int) -> None:
    before = len(open_trace(trace).table("executions"))
    change(trace, RecordKind.EXECUTION_BEGIN, field, value)
    reader = open_trace(trace)
    assert len(reader.table("executions")) == before - 1
    assert reader.damage == 1


def test_a_time_beyond_all_years(trace: Path) -> None:
    change(trace, RecordKind.GRAPH_TENSOR, "time_ns", 2**63 - 1)
    assert open_trace(trace).damage == 1


@pytest.mark.parametrize("key", ["site", "function", "stack", "argument", "inputs", "reads", "gradient_of"])
def test_a_described_site_with_a_number_of_billions(trace: Path, key: str) -> None:
    path = trace / "sites.jsonl"
    first, *rest = path.read_text().splitlines()
    value: Any = {"inputs": [[BILLIONS, 0]], "reads": [BILLIONS]}.get(key, BILLIONS)
    path.write_text("\n".join([json.dumps({**json.loads(first), key: value}), *rest, ""]))
    reader = open_trace(trace)
    assert 0 not in reader.sites()
    assert reader.damage == 4  # the line, and the three tensors of that site


@pytest.mark.parametrize(
    "facts", ["", '{"warning": "recording stopped early: No space left on device"}\n{"end": {"time_ns": 1}}\n']
)
@pytest.mark.parametrize(("field", "near"), [("site", 7), ("site", 40_000), ("path", 2), ("path", 40_000)])
def test_where_lines_were_lost_near_numbers_are_believed(trace: Path, facts: str, field: str, near: int) -> None:
    (trace / "facts.jsonl").write_text(facts)
    change(trace, RecordKind.GRAPH_TENSOR, field, near)
    reader = open_trace(trace)
    assert (reader.tensor_count, reader.damage) == (TENSOR_EVENTS, 0)
    assert reader.table("tensors", [field]).column(field).to_pylist()[0] == near
    assert reader.sites()[40_000].name == "lost_40000"
    seal_all(trace)
    assert (open_trace(trace).tensor_count, open_trace(trace).damage) == (TENSOR_EVENTS, 0)


@pytest.mark.parametrize(("field", "far"), [("site", 2**17), ("site", BILLIONS), ("path", 2**17), ("path", LAST)])
def test_where_lines_were_lost_far_numbers_are_damage(trace: Path, field: str, far: int) -> None:
    (trace / "facts.jsonl").unlink()
    change(trace, RecordKind.GRAPH_TENSOR, field, far)
    reader = open_trace(trace)
    assert (reader.tensor_count, reader.damage) == (TENSOR_EVENTS - 1, 1)
