"""Which runs may go."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tensordbg.errors import RecordingError
from tensordbg.trace.folders.pruning import Limits, StoredRun, chosen, delete, stored_runs
from tests.trace.builder import TraceBuilder, small_program
from tests.trace.samples import eventful_trace

DAY = 86_400.0
NOW = 1000 * DAY


def healthy(folder: Path) -> Path:
    """A trace in which all is finite."""
    build = TraceBuilder(folder)
    build.describe(small_program())
    for step in range(3):
        build.eager_tensor(build.begin(6, step=step), 6)
    return build.finish()


def aged(trace: Path, days: float) -> Path:
    """The same, as it would be so many days later."""
    for path in trace.rglob("*"):
        os.utime(path, (NOW - days * DAY,) * 2)
    return trace


def run(name: str, days: float, size: int, why_kept: str = "") -> StoredRun:
    return StoredRun(name, (Path(name),), size, NOW - days * DAY, why_kept)


def going(runs: list[StoredRun], limits: Limits) -> list[str]:
    return [each.name for each in chosen(runs, limits, NOW) if each.goes]


RUNS = [run("a", 30, 10), run("b", 20, 10, "findings"), run("c", 10, 10), run("d", 1, 10, "newest")]


def test_what_is_too_old_goes_but_for_what_was_found() -> None:
    assert going(RUNS, Limits(oldest_s=15 * DAY)) == ["a"]
    assert going(RUNS, Limits(oldest_s=15 * DAY, spare=frozenset({"newest"}))) == ["a", "b"]
    assert going(RUNS, Limits(oldest_s=0)) == ["a", "c"]


def test_what_is_too_much_goes_from_the_oldest_on() -> None:
    assert going(RUNS, Limits(most_bytes=40)) == []
    assert going(RUNS, Limits(most_bytes=30)) == ["a"]
    assert going(RUNS, Limits(most_bytes=29)) == ["a", "c"]
    assert going(RUNS, Limits(most_bytes=0)) == ["a", "c"]


def test_both_limits_together() -> None:
    assert going(RUNS, Limits(oldest_s=15 * DAY, most_bytes=30)) == ["a"]


def test_why_each_run_of_a_folder_is_kept(tmp_path: Path) -> None:
    aged(healthy(tmp_path / "well"), 9)
    aged(eventful_trace(tmp_path / "bad").finish(), 8)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "trace.json").write_text("{")
    aged(tmp_path / "damaged", 7)
    newest = aged(healthy(tmp_path / "newest"), 6)
    found = {each.name: (each.why_kept, each.bytes > 0) for each in stored_runs(tmp_path)}
    assert found["well"][0] in {"", "newest"}
    assert found["bad"] == ("findings", True)
    assert found["damaged"] == ("unreadable", True)
    assert newest.exists()
    assert sum(why == "newest" for why, _ in found.values()) == 1


def test_what_is_being_recorded_is_kept(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "here", pid=os.getpid())
    build.describe(small_program())
    (found,) = stored_runs(tmp_path)
    assert found.why_kept == "running"


def test_only_files_of_the_trace_are_deleted(tmp_path: Path) -> None:
    trace = healthy(tmp_path / "one")
    other = healthy(tmp_path / "two")
    (other / "notes.txt").write_text("mine")
    for each in stored_runs(tmp_path):
        delete(each)
    assert not trace.exists()
    assert [path.name for path in other.iterdir()] == ["notes.txt"]


def test_what_has_changed_since_is_kept(tmp_path: Path) -> None:
    trace = aged(healthy(tmp_path / "one"), 20)
    (found,) = stored_runs(tmp_path)
    shutil.copy(trace / "facts.jsonl", trace / "facts.jsonl.new")
    with pytest.raises(RecordingError, match="has been changed since it was looked at"):
        delete(found)
    assert (trace / "trace.json").exists()
