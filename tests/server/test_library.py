from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tensordbg.errors import AbsentError, TraceError
from tensordbg.server import library
from tensordbg.server.library import Library, holds_trace
from tests.sample_run import make_sample_run
from tests.sample_trace import make_sample_trace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three runs at three depths, the last of two processes; the oldest first."""
    make_sample_run(tmp_path / "many")
    make_sample_trace(tmp_path / "first")
    make_sample_trace(tmp_path / "deep" / "er" / "second")
    return tmp_path


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is looked through each time."""
    monkeypatch.setattr(library, "_FRESH", 0.0)


def test_runs_at_any_depth_the_newest_first(folder: Path) -> None:
    runs = Library(folder).runs()
    assert runs.folder == str(folder)
    assert [run.run for run in runs.runs] == ["deep/er/second", "first", "many/trace-0"]
    assert [run.processes for run in runs.runs] == [("",), ("",), ("worker 0", "worker 1")]
    assert not any(run.running for run in runs.runs)
    assert runs.runs[0].program == "train"


def test_one_trace_alone(sample: Path) -> None:
    assert [run.run for run in Library(sample).runs().runs] == ["sample"]


def test_answers_are_kept_open(folder: Path) -> None:
    runs = Library(folder)
    assert runs.answers("first") is runs.answers("first")
    assert runs.answers("") is runs.answers("deep/er/second")
    assert runs.answers("many/trace-0") is not runs.answers("first")


def test_few_runs_are_kept_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_OPEN", 1)
    runs = Library(folder)
    first = runs.answers("first")
    runs.answers("deep/er/second")
    assert runs.answers("first") is not first


@pytest.mark.parametrize("name", ["third", "..", "../first", "/", "first/", "many", "deep/../first"])
def test_only_what_is_listed_can_be_named(folder: Path, name: str) -> None:
    with pytest.raises(AbsentError) as raised:
        Library(folder).answers(name)
    assert str(raised.value).startswith(f"{folder}: holds no run {name!r}; choose one that is there: deep/er/second")


def test_new_run_is_found(folder: Path, impatient: None) -> None:
    runs = Library(folder)
    before = runs.answers("")
    make_sample_trace(folder / "third")
    assert runs.runs().runs[0].run == "third"
    assert runs.answers("") is not before


def test_run_that_is_gone(folder: Path, impatient: None) -> None:
    runs = Library(folder)
    runs.answers("first")
    shutil.rmtree(folder / "first")
    with pytest.raises(AbsentError):
        runs.answers("first")


def test_folder_that_is_emptied(sample: Path, impatient: None) -> None:
    runs = Library(sample.parent)
    shutil.rmtree(sample)
    assert runs.runs().runs == ()
    with pytest.raises(AbsentError, match=r"holds no trace; record one with `tdbg run`"):
        runs.answers("")


def test_damaged_trace_is_listed_by_its_name(folder: Path) -> None:
    (folder / "first" / "trace.json").write_text("{")
    found = {run.run: run for run in Library(folder).runs().runs}
    assert found["first"].program == "first"


def test_folders_of_traces_and_hidden_ones_are_not_looked_into(folder: Path) -> None:
    make_sample_trace(folder / "first" / "values" / "inner")
    make_sample_trace(folder / ".hidden" / "trace")
    assert len(Library(folder).runs().runs) == 3


def test_check(tmp_path: Path, sample: Path) -> None:
    Library(sample).check()
    Library(sample.parents[1]).check()
    with pytest.raises(TraceError, match="does not exist"):
        Library(tmp_path / "nowhere").check()
    (tmp_path / "empty").mkdir()
    with pytest.raises(TraceError, match="holds no trace; record one"):
        Library(tmp_path / "empty").check()


def test_holds_trace(folder: Path, tmp_path: Path) -> None:
    assert holds_trace(folder)
    assert holds_trace(folder / "first")
    assert not holds_trace(tmp_path / "nowhere")


def test_a_run_from_anywhere_is_shown_beside(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = make_sample_trace(tmp_path_factory.mktemp("elsewhere") / "first")
    runs = Library(folder, against=other)
    shown, beside = runs.compared()
    assert (shown, beside) == ("deep/er/second", f"{other.parent.name}/first")
    assert runs.answers(beside).overview().path == str(other)
    assert runs.answers("first").overview().path != str(other)


def test_a_run_below_the_folder_is_not_shown_twice(folder: Path) -> None:
    runs = Library(folder, against=folder / "deep" / "er" / "second")
    assert runs.compared() == ("first", "deep/er/second")
    assert len(runs.runs().runs) == 3
