from __future__ import annotations

from pathlib import Path

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.source_margins import SourceSummary, read_source
from tensordbg.trace.reader import open_trace
from tensordbg.wire.view.source import (
    LineView,
    OperationAtLine,
    SourceFileView,
    SourceList,
    line_view,
    source_list_view,
    source_view,
    stack_view,
)


def test_lines() -> None:
    line = SourceLine("a.py", 3, "f", True, "x = 1", before=("y = 2",))
    assert line_view(line) == LineView("a.py", 3, "f", True, "x = 1")
    assert line_view(None) is None
    assert stack_view([line, line]) == (line_view(line),) * 2


def test_list_of_files() -> None:
    assert source_list_view([SourceSummary("a.py", True, 4, 1)]) == SourceList((SourceFileView("a.py", True, 4, 1),))


def test_file_with_margins(sample: Path) -> None:
    view = source_view(read_source(OpenedTrace(open_trace(sample)), "/code/train.py"))
    assert (view.file, view.text.count("\n"), view.changed) == ("/code/train.py", 9, True)
    assert [margin.line for margin in view.margins] == [3, 8]
    assert view.margins[0].operations[0] == OperationAtLine("Log", "Log", 1, "train", 3, 1, 9)
