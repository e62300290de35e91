"""A run of a thousand workers with a million tensor events each: what `tdbg why` and the page of the processes take.

Three real workers are recorded (`programs/long_ddp.py`); one of them stands for all others: their traces have a name,
a machine and a process of their own, and share its files of events on the disk. So the files are in the system's
cache sooner than those of a thousand workers would be, and what reading them from slow disks takes is not measured.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.scale import HERE, RESULTS, Asked, ask
from benchmarks.view import Client, megabytes, serving

STEPS = 16_200
"""In which a worker computes a million tensors."""

SIZES = (100, 1000)
COLUMNS = 150
RECORDED = 3


def record(folder: Path, steps: int = STEPS) -> list[Path]:
    """Records the three workers, and returns their traces by rank."""
    import subprocess

    program = str(HERE / "programs" / "long_ddp.py")
    launch = ["torchrun", "--nproc-per-node", str(RECORDED), program, str(steps)]
    command = [sys.executable, "-m", "tensordbg", "run", "--out", str(folder), *launch]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    return [_of_rank(folder, rank) for rank in range(RECORDED)]


def _of_rank(folder: Path, rank: int) -> Path:
    for trace in folder.iterdir():
        if json.loads((trace / "trace.json").read_text())["process"]["index"] == rank:
            return trace
    raise LookupError(rank)


def multiply(traces: list[Path], folder: Path, count: int) -> None:
    """Makes a run of so many workers: the recorded ones, and the first of them under other names."""
    for rank in range(count):
        source = traces[rank] if rank < len(traces) else traces[0]
        target = folder / f"{traces[0].name}-rank-{rank}"
        shutil.copytree(source, target, copy_function=os.link)
        (target / "trace.json").unlink()
        (target / "trace.json").write_bytes(described(source, rank))


def described(source: Path, rank: int) -> bytes:
    """The description of a trace under the name of another worker."""
    stored = json.loads((source / "trace.json").read_text())
    stored |= {"id": f"{stored['id']}-{rank}", "host": f"node-{rank // 8}", "pid": 1000 + rank}
    stored["process"] = {**stored["process"], "index": rank}
    return json.dumps(stored).encode()


def measure(traces: list[Path], count: int) -> dict[str, object]:
    """What `tdbg why`, and the page's matrix of processes, take on so many workers."""
    with tempfile.TemporaryDirectory(dir=traces[0].parent.parent) as name:
        multiply(traces, Path(name), count)
        took: Asked = ask(["why"], Path(name))
        first, again, largest = matrix(Path(name))
    print(
        f"{count:5,} workers: tdbg why {took.seconds:6.1f} s {took.megabytes:8.0f} MB; "
        f"matrix {first:6.1f} s, again {again:6.2f} s {largest:8.0f} MB",
        flush=True,
    )
    return {
        "workers": count,
        "why": asdict(took),
        "matrix": {"first_seconds": first, "again_seconds": again, "megabytes": largest},
    }


def matrix(folder: Path) -> tuple[float, float, float]:
    """Seconds until the matrix is answered for the first time and again, and the server's largest memory."""
    with serving(folder) as (process, link):
        client = Client(link)
        first = client.seconds("matrix", width=COLUMNS)
        again = client.seconds("matrix", width=COLUMNS, measure="gradients")
        return first, again, megabytes(process)


def main() -> None:
    """Prints what was measured, and keeps it."""
    with tempfile.TemporaryDirectory() as name:
        traces = record(Path(name) / "recorded")
        from tensordbg.trace.reader import open_trace

        events = open_trace(traces[0]).tensor_count
        print(f"{events:,} tensor events each, of {RECORDED} workers that were recorded")
        results = [measure(traces, count) for count in SIZES]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "many_traces.json").write_text(json.dumps({"events": events, "runs": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
