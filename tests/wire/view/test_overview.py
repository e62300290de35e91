from __future__ import annotations

from pathlib import Path

from tensordbg.analysis.view.growth import Growth
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.overview import read_overview
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.reader import open_trace
from tensordbg.wire.view.overview import Live, ProcessView, live_view, overview_view


def test_overview(sample: Path) -> None:
    run, reader = find_run(sample), open_trace(sample)
    view = overview_view(read_overview(run, {run.processes[0].name: OpenedTrace(reader)}), "here/sample", "code {file}")
    assert (view.run, view.path, view.editor, view.program) == ("here/sample", str(sample), "code {file}", "train")
    assert (view.detail, view.created_ns) == ("health", reader.metadata.created_ns)
    assert view.processes == (ProcessView("", reader.metadata.pid, 12, 6, False, "exit code 0"),)


def test_live() -> None:
    assert live_view(Growth(5, 2, 9, True), 1.5) == Live(9, 5, 2, 1.5, True)
