"""Runs on the disk as JSON."""

from __future__ import annotations

from pathlib import Path

from tensordbg.trace.folders.pruning import StoredRun
from tensordbg.wire.stored_runs import stored_runs_to_json


def test_each_run_says_whether_it_goes_and_why_not() -> None:
    runs = [
        StoredRun("old", (Path("runs/old"),), 310, 1.5, goes=True),
        StoredRun("new", (Path("runs/new"),), 7, 2.5, "newest", "is the newest"),
    ]
    assert stored_runs_to_json(runs) == {
        "format": 1,
        "runs": [
            {"run": "old", "traces": ["runs/old"], "bytes": 310, "changed_s": 1.5, "goes": True}
            | {"why_kept": "", "what": ""},
            {"run": "new", "traces": ["runs/new"], "bytes": 7, "changed_s": 2.5, "goes": False}
            | {"why_kept": "newest", "what": "is the newest"},
        ],
    }
