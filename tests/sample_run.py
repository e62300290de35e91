"""A run of two workers: each is the sample trace, the second recorded half a step later than the first."""

from __future__ import annotations

import json
from pathlib import Path

from tests.sample_trace import make_sample_trace

WORKERS = ("worker 0", "worker 1")


def make_sample_run(folder: Path) -> Path:
    """Writes the traces into a folder of traces."""
    for index in range(len(WORKERS)):
        trace = make_sample_trace(folder / f"trace-{index}")
        path = trace / "trace.json"
        described = json.loads(path.read_text())
        described["process"] = {"runs": ["cluster:sample"], "task": "worker", "index": index}
        described["created_ns"] = 1_000
        described["clock_offset_ns"] += index * 3_500  # a step takes 7000 ns
        path.write_text(json.dumps(described))
    return folder
