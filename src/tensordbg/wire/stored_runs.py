"""Runs as they lie on the disk, and whether each may go, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensordbg.trace.folders.pruning import StoredRun

FORMAT = 1


def stored_runs_to_json(runs: Sequence[StoredRun]) -> dict[str, Any]:
    """The object that `tdbg prune --json` prints."""
    return {"format": FORMAT, "runs": [_run(run) for run in runs]}


def _run(run: StoredRun) -> dict[str, Any]:
    return {
        "run": run.name,
        "traces": [str(path) for path in run.traces],
        "bytes": run.bytes,
        "changed_s": run.changed_s,
        "goes": run.goes,
        "why_kept": run.why_kept,
        "what": run.what,
    }
