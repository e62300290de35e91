"""What `tdbg prune` prints."""

from __future__ import annotations

import io
from pathlib import Path

from tensordbg.report.pruned import age_text, pruned_sentence, pruned_table, size_text
from tensordbg.report.terminal import PlainConsole
from tensordbg.trace.folders.pruning import StoredRun

RUNS = [
    StoredRun("old", (Path("old"),), 310_000_000, 0.0, goes=True),
    StoredRun("bad and 7 more", (Path("bad"),), 2_500_000_000, 0.0, "findings", "3 tensors are not finite"),
    StoredRun("new", (Path("new"),), 999, 86_400.0),
]


def test_each_run_with_its_verdict() -> None:
    stream = io.StringIO()
    PlainConsole(stream, 100).print(pruned_table(RUNS, 90_000.0))
    lines = [" ".join(line.split()) for line in stream.getvalue().splitlines()]
    assert lines == [
        "run age size",
        "old 1 day 310 MB goes",
        "bad and 7 more 1 day 2.5 GB kept: 3 tensors are not finite",
        "new 1 hour 999 bytes kept",
    ]


def test_the_sentence_says_whether_anything_was_deleted() -> None:
    assert pruned_sentence(RUNS, deleted=True) == "deleted 1 run of 3, 310 MB"
    assert pruned_sentence(RUNS, deleted=False).startswith("1 run of 3, 310 MB, would be deleted; nothing was")
    assert pruned_sentence(RUNS[1:], deleted=False) == "nothing goes"


def test_sizes_and_ages() -> None:
    assert [size_text(size) for size in (0, 999, 1000, 21_000_000)] == ["0 bytes", "999 bytes", "1.0 KB", "21 MB"]
    assert [age_text(age) for age in (5, 60, 7200, 3 * 86_400)] == ["now", "1 minute", "2 hours", "3 days"]
