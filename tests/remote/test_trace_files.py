from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.errors import TraceError
from tensordbg.remote.trace_files import files_of_trace
from tensordbg.trace.sealed.seal import seal_all
from tests.trace.builder import TraceBuilder, kept, small_program
from tests.trace.samples import eventful_trace


def test_a_sealed_trace_is_all_its_files_but_two(tmp_path: Path) -> None:
    seal_all(eventful_trace(tmp_path).finish())
    files = files_of_trace(tmp_path, ended=True)
    assert set(files.content) == {each.name for each in tmp_path.iterdir() if each.is_file()} - {
        "trace.json",
        "sealed.json",
    }
    assert files.sealed == (tmp_path / "sealed.json").read_bytes()


def test_raw_segments_go_along_once_the_program_has_ended(tmp_path: Path) -> None:
    eventful_trace(tmp_path).kill()
    running, ended = (files_of_trace(tmp_path, ended=ended).content for ended in (False, True))
    assert not any(name.startswith("segments/") for name in running)
    assert {name for name in ended if name.startswith("segments/")} == {
        f"segments/{each.name}" for each in (tmp_path / "segments").iterdir()
    }
    assert files_of_trace(tmp_path, ended=True).sealed is None
    assert "sites.jsonl" in running


def test_elements_go_along_once_their_file_is_not_written_any_more(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path)
    build.describe(small_program())
    build.begin(5, 0, 0)
    build.graph_tensor(50, 0, kept(np.arange(6, dtype=np.float32).reshape(2, 3)))
    build.finish()
    values = [f"values/{each.name}" for each in (tmp_path / "values").iterdir()]
    assert values
    assert not set(values) & set(files_of_trace(tmp_path, ended=False).content)
    assert set(values) <= set(files_of_trace(tmp_path, ended=True).content)


def test_what_is_damaged_is_told(tmp_path: Path) -> None:
    eventful_trace(tmp_path).finish()
    (tmp_path / "sealed.json").write_text('{"tensors": 5}')
    with pytest.raises(TraceError, match=r"sealed.json: can't be read"):
        files_of_trace(tmp_path, ended=True)
