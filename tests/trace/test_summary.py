"""Summaries of runs: they are read as they were written, and what can't be is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.reader import open_trace
from tensordbg.trace.summary import Line, Parameter, Place, Summary, Value, make_trace, read_summary, write_summary

SUMMARY = Summary(
    "train",
    1,
    (Line("train.py", 7, "step", "y = x @ w"),),
    (Parameter("w", "float32", "[2, 2]", True),),
    (Place("w", "ReadVariableOp", "tensorflow", None, "", "{}", (0,), -1),
     Place("MatMul", "MatMul", "tensorflow", False, "", '{"transpose_a": false}', (), 0)),
    (Value(0, 0, 0, "float32", (2, 2), 4, 1, 1, 0, 0, 0, -1.5, 2.0, 1.0, 7.25, ()),
     Value(1, 0, 0, "float32", (2, 2), 4, 0, 0, 1, 0, 0, None, None, 0.0, 0.0, (0,))),
)  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_summary(tmp_path / "summary.json", SUMMARY)
    return tmp_path / "summary.json"


def test_it_is_read_as_it_was_written(file: Path) -> None:
    assert read_summary(file) == SUMMARY
    assert json.loads(file.read_text())["version"] == 1


def test_a_value_has_a_line_of_its_own(file: Path) -> None:
    assert '[0,0,0,"float32",[2,2],4,1,1,0,0,0,-1.5,2.0,1.0,7.25,[]],' in file.read_text().splitlines()


def test_a_trace_is_made_of_it(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    make_trace(read_summary(file), folder)
    trace = open_trace(folder)
    table = trace.table("tensors").to_pylist()
    assert [(str(row["min"]), row["sum_squares"], row["nan"], row["shape"]) for row in table] == [
        ("-1.5", 7.25, 0, "[2, 2]"),
        ("nan", 0.0, 1, "[2, 2]"),
    ]
    assert trace.table("executions")["inputs"].to_pylist() == [[], [1 << 16]]
    assert trace.sites()[0].reads == (0,)
    assert trace.damage == 0


SOUND = {
    "format": "tensordbg summary",
    "version": 1,
    "program": "p",
    "last": 0,
    "lines": [["a.py", 1, "f", "x"]],
    "parameters": [["w", "float32", "[1]", None]],
    "places": [["a", "b", "", None, "", "{}", [0], 0]],
    "values": [[0, 0, 0, "float32", [1], 1, 0, 0, 0, 0, 0, 1.0, 1.0, 1.0, 1.0, []]],
}


def damaged(change: Any) -> bytes:
    value = json.loads(json.dumps(SOUND))
    change(value)
    return json.dumps(value).encode()


def of(*path: Any, to: Any) -> Any:
    def change(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        value[path[-1]] = to

    return change


UNFIT = "its numbers do not fit together"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is no summary of a run"),
        (b"[" * 100_000, "is no summary of a run"),
        (b'{"version": 1}', "is no summary of a run"),
        (damaged(of("version", to=2)), "is of version 2, and 1 is read"),
        (damaged(of("format", to="other")), UNFIT),
        (damaged(of("values", 0, 0, to=1)), UNFIT),
        (damaged(of("values", 0, 0, to=-1)), UNFIT),
        (damaged(of("values", 0, 0, to=2**70)), UNFIT),
        (damaged(of("values", 0, 1, to=2**16)), UNFIT),
        (damaged(of("values", 0, 2, to=2**40)), UNFIT),
        (damaged(of("values", 0, 3, to="float33")), UNFIT),
        (damaged(of("values", 0, 4, to=[2])), UNFIT),
        (damaged(of("values", 0, 5, to=0)), UNFIT),
        (damaged(of("values", 0, 6, to=2)), UNFIT),
        (damaged(of("values", 0, 15, to=[0])), UNFIT),
        (damaged(of("values", 0, 15, to=[-1])), UNFIT),
        (damaged(of("lines", 0, 1, to=2**30)), UNFIT),
        (damaged(of("lines", 0, 1, to=0)), UNFIT),
        (damaged(of("places", 0, 4, to="{}")), UNFIT),
        (damaged(of("places", 0, 5, to="3")), UNFIT),
        (damaged(of("places", 0, 6, to=[1])), UNFIT),
        (damaged(of("places", 0, 7, to=1)), UNFIT),
    ],
)
def test_a_hostile_file_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "summary.json").write_bytes(data)
    with pytest.raises(TraceError, match=why):
        read_summary(tmp_path / "summary.json")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="`tdbg export --summary FILE` makes one"):
        read_summary(tmp_path / "none.json")
    with pytest.raises(UsageError, match="can't be written"):
        write_summary(tmp_path / "none" / "summary.json", SUMMARY)
