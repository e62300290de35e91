"""A folder that is named for a trace: what lies there is not lost by mistake."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensordbg.errors import RecordingError
from tensordbg.trace.folders.place import clear_place, is_trace, make_place
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.trace.builder import TraceBuilder
from tests.trace.samples import eventful_trace


def test_a_folder_that_does_not_exist_is_made(tmp_path: Path) -> None:
    for _ in range(2):
        make_place(tmp_path / "a" / "b")
        assert list((tmp_path / "a" / "b").iterdir()) == []


def test_a_trace_is_not_overwritten(trace: Path) -> None:
    with pytest.raises(RecordingError) as caught:
        make_place(trace)
    assert str(caught.value) == f"{trace}: holds a trace already; choose another folder, or replace it with --force"


def test_a_folder_with_other_files_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(RecordingError) as caught:
        make_place(tmp_path)
    assert str(caught.value) == f"{tmp_path}: holds something else already; choose a folder that does not exist yet"
    clear_place(tmp_path)
    assert (tmp_path / "mine").exists()


@pytest.mark.parametrize("folder", ["file", "file/deeper"])
def test_a_file_is_not_taken(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RecordingError, match=r"no trace can be written there \(a file lies there\)"):
        make_place(tmp_path / folder)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_place_where_nothing_can_be_made() -> None:
    with pytest.raises(RecordingError, match=r"^/proc/trace: no trace can be written there \(.*\); choose another"):
        make_place(Path("/proc/trace"))


@pytest.mark.parametrize("state", [lambda _: None, seal_full_segments, seal_all])
def test_all_of_a_trace_is_deleted_and_nothing_else(trace: Path, state: object) -> None:
    assert callable(state)
    for folder in ("values", "graphs"):
        (trace / folder).mkdir()
        (trace / folder / "000000.bin").touch()
    state(trace)
    clear_place(trace)
    assert not is_trace(trace)
    make_place(trace)


def test_other_files_beside_a_trace_stay(trace: Path) -> None:
    (trace / "notes.txt").write_text("mine")
    clear_place(trace)
    assert [path.name for path in trace.iterdir()] == ["notes.txt"]
    clear_place(trace)


def test_traces_of_several_runs_stay(tmp_path: Path) -> None:
    for name in ("first", "second"):
        eventful_trace(tmp_path / name).kill()
    clear_place(tmp_path)
    assert all(is_trace(tmp_path / name) for name in ("first", "second"))


@pytest.mark.parametrize("file", ["trace.json", "sealed.json"])
def test_a_damaged_trace_can_be_deleted(trace: Path, file: str) -> None:
    (trace / file).write_bytes(b"\xff")
    clear_place(trace)
    assert not is_trace(trace)


def test_a_trace_that_is_being_recorded_stays(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace", pid=os.getpid())
    build.eager_tensor(1, 6)
    trace = build.kill()
    with pytest.raises(RecordingError) as caught:
        clear_place(trace)
    assert str(caught.value) == f"{trace}: holds a trace that is being recorded; end that program first"
    assert is_trace(trace)


def test_a_killed_program_is_not_being_recorded(tmp_path: Path) -> None:
    trace = eventful_trace(tmp_path / "trace").kill()
    clear_place(trace)
    assert list(trace.iterdir()) == []
