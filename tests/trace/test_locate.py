from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tensordbg.errors import TraceError
from tensordbg.trace.locate import find_trace, list_traces
from tests.trace.builder import TraceBuilder


def make(folder: Path, created_ns: int) -> Path:
    TraceBuilder(folder).kill()
    path = folder / "trace.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "created_ns": created_ns}))
    return folder


def test_lists_traces_by_age(tmp_path: Path) -> None:
    second, first, third = (make(tmp_path / name, age) for name, age in [("a", 2), ("b", 1), ("c", 3)])
    (tmp_path / "other").mkdir()
    (tmp_path / "file").touch()
    assert list_traces(tmp_path) == [first, second, third]
    assert list_traces(str(tmp_path / "other")) == []


def test_finds_the_newest(tmp_path: Path) -> None:
    newest = make(tmp_path / "a", 5)
    make(tmp_path / "b", 4)
    assert find_trace(tmp_path) == newest
    assert find_trace(tmp_path / "b") == tmp_path / "b"


def test_damaged_trace_is_dated_by_its_file(tmp_path: Path) -> None:
    make(tmp_path / "a", 5)
    damaged = make(tmp_path / "b", 4)
    (damaged / "trace.json").write_text("{")
    os.utime(damaged / "trace.json", ns=(3, 3))
    assert list_traces(tmp_path) == [damaged, tmp_path / "a"]


def test_says_what_is_wrong_with_a_path(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    advice = "give a trace, or a folder of traces as `tdbg run` makes it"
    messages = {
        "none": f"{tmp_path}/none: does not exist; {advice}",
        "file": f"{tmp_path}/file: is a file, but a trace is a folder; {advice}",
        "": f"{tmp_path}: holds no trace; record one with `tdbg run`, or give the folder of another",
    }
    for name, message in messages.items():
        with pytest.raises(TraceError) as caught:
            find_trace(tmp_path / name if name else tmp_path)
        assert str(caught.value) == message
