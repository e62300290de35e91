from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.trace.folders.progress import Progress, progress_of
from tensordbg.trace.sealed.seal import seal_all
from tests.trace.builder import TraceBuilder, small_program, write_segments

SLOTS = 128


def at(folder: Path, last: int = 0) -> Progress:
    return progress_of(folder, SLOTS, last)


@pytest.mark.parametrize("last", [0, 1000])
def test_every_event_counts(tmp_path: Path, last: int) -> None:
    build = TraceBuilder(tmp_path / "trace", SLOTS)
    build.describe(small_program())
    seen = []
    for step in range(2 * SLOTS + 10):
        build.begin(site=6, step=step)
        if step == 73:
            build.hole()
        if step % 7 < 2:
            write_segments(build.folder, build.all_records(), SLOTS)
            seen.append(at(build.folder, last))
            assert at(build.folder, last) == seen[-1]
    assert len(set(seen)) == len(seen)
    assert seen[-1].segments == 2


def test_every_line_counts(sample: Path) -> None:
    before = at(sample)
    with (sample / "facts.jsonl").open("a") as file:
        file.write('{"warning": "late"}\n')
    assert at(sample) != before


def test_sealing_counts(sample: Path) -> None:
    before = at(sample)
    seal_all(sample)
    after = at(sample)
    assert after != before
    assert (after.segments, after.written) == (-1, 0)
