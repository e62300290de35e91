from __future__ import annotations

from pathlib import Path

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.trace.reader import open_trace
from tests.trace.builder import Tensor, TraceBuilder, small_program, write_segments


def test_every_event_raises_the_revision(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    revisions = []
    for step in range(4):
        add = build.begin(site=6, step=step)
        build.eager_tensor(add, 6, Tensor())
        write_segments(build.folder, build.all_records(), build.slots)
        growth = OpenedTrace(open_trace(build.folder)).growth
        assert (growth.tensor_events, growth.executions) == (step + 1, step + 1)
        revisions.append(growth.revision)
    assert revisions == sorted(set(revisions))


def test_what_is_recorded_is_counted(opened: OpenedTrace) -> None:
    assert (opened.growth.tensor_events, opened.growth.executions, opened.growth.running) == (12, 6, False)
