from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.source_margins import MadeAtLine, SourceSummary, list_sources, read_source
from tensordbg.errors import AbsentError
from tests.analysis.builder import FILE
from tests.analysis.view.loop_trace import loop_trace


def test_what_each_line_created(opened: OpenedTrace) -> None:
    source = read_source(opened, "/code/train.py")
    assert source.text == "import tensorflow\n" * 9
    assert set(source.lines) == {3, 8}
    assert source.lines[3][0] == MadeAtLine("Log", "Log", "train", 1, 3, 1, 9)
    assert MadeAtLine("Mul", "mul", "inner", 1, 3, 0, 2) in source.lines[3]
    assert source.lines[8] == (MadeAtLine("AddV2", "Add", "main", 1, 3, 0, 3),)


def test_counts_of_every_site(varied: OpenedTrace) -> None:
    site, bad = varied.columns.whole("site"), varied.columns.bad()
    for number in range(varied.site_limit):
        own = np.flatnonzero(site == number)
        assert varied.site_counts.events[number] == len(own)
        assert varied.site_counts.bad[number] == bad[own].sum()
        first = next(iter([*own[bad[own]].tolist(), *own.tolist()]), -1)
        assert varied.site_counts.telling[number] == first


def test_list_of_files() -> None:
    (source,) = list_sources(loop_trace().opened)
    assert source == SourceSummary(FILE, True, source.operations, 3)


def test_file_that_is_another_by_now(tmp_path: Path, opened: OpenedTrace) -> None:
    path = tmp_path / "train.py"
    path.write_text("a = 1\n")
    for text, changed in (("a = 1\n", False), ("a = 2\n", True)):
        vars(opened)["program"] = replace(opened.program, sources={str(path): text, "<stdin>": text})
        assert read_source(opened, str(path)).changed is changed
        assert read_source(opened, "<stdin>").changed is False
    path.unlink()
    assert read_source(opened, str(path)).changed
    os.mkfifo(path)  # the trace names it: it is not waited for
    assert read_source(opened, str(path)).changed


def test_unknown_file(opened: OpenedTrace) -> None:
    with pytest.raises(AbsentError, match="the trace holds no source file '/etc/passwd'"):
        read_source(opened, "/etc/passwd")
