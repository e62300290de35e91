from __future__ import annotations

import json
from pathlib import Path

import pytest

from tensordbg.errors import UsageError
from tensordbg.mcp.questions import Questions
from tests.sample_trace import make_sample_trace


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Questions:
    folder = tmp_path_factory.mktemp("traces")
    make_sample_trace(folder / "sample")
    (folder.parent / "outside").mkdir()
    return Questions(folder)


def test_runs(questions: Questions) -> None:
    (run,) = questions.runs()
    assert run["trace"] == "sample"


def test_no_runs_yet(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no trace yet; record one with `tdbg run`$"):
        Questions(tmp_path).runs()


def test_a_trace_alone_has_no_name(tmp_path: Path) -> None:
    (run,) = Questions(make_sample_trace(tmp_path / "alone")).runs()
    assert run["trace"] == ""


def test_why(questions: Questions) -> None:
    assert "Log:0" in questions.why()
    assert questions.why("sample") == questions.why()


def test_search(questions: Questions) -> None:
    found = questions.search(non_finite=True)
    assert [each["tensor"] for each in found["tensors"]] == ["Log:0"]
    found = questions.search(op_type="Log", sort="-step", limit=1)
    assert (found["total"], [each["step"] for each in found["tensors"]]) == (3, [2])
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_tensor(questions: Questions) -> None:
    history = questions.tensor("Log:0", limit=2)
    assert (history["total"], [each["step"] for each in history["events"]]) == (3, [1, 2])


def test_values_that_were_not_kept(questions: Questions) -> None:
    with pytest.raises(UsageError, match="were not kept"):
        questions.values("Log:0")


def test_diff(questions: Questions) -> None:
    assert questions.diff("sample", "sample")["status"] in {"same", "not_comparable"}


def test_layers(questions: Questions) -> None:
    with pytest.raises(UsageError, match=r"^no layers at all were recorded; `search` finds tensors without them$"):
        questions.layers()
    with pytest.raises(UsageError, match=r"^no layers whose path holds 'dense' were recorded; "):
        questions.layers(name="dense")


def test_a_file_that_is_not_there(questions: Questions) -> None:
    with pytest.raises(UsageError, match=r"^'nowhere\.py' is no recorded file; choose one of "):
        questions.source("nowhere.py")


@pytest.mark.parametrize("trace", ["..", "../outside", "/", "sample/../../outside"])
def test_nothing_outside_of_the_folder_is_read(questions: Questions, trace: str) -> None:
    with pytest.raises(UsageError, match="is outside of"):
        questions.why(trace)
