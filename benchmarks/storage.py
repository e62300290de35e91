"""A run of a thousand workers in object storage: what `tdbg why` takes that reads it there, and how much it reads.

Three real workers are recorded (`programs/long_ddp.py`); one of them stands for the others, each with a name, a machine
and a process of its own. The storage is moto's S3 server on this machine, in one process of Python: it answers some
hundred questions a second and takes half of the processors, where a real one answers thousands. So the time is that
of this server, the bytes and the memory are those of any.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.many_traces import RECORDED, described, record
from benchmarks.scale import RESULTS, Asked, ask

STEPS = 320
"""In which a worker computes twenty thousand tensors."""

SIZES = (100, 1000)


def put(traces: list[Path], address: str, count: int) -> int:
    """Puts a run of so many workers into storage, and returns its bytes."""
    import fsspec

    system, root = fsspec.core.url_to_fs(address)
    size = 0
    for rank in range(count):
        source = traces[rank] if rank < len(traces) else traces[0]
        content = {str(file.relative_to(source)): file.read_bytes() for file in source.rglob("*") if file.is_file()}
        content["trace.json"] = described(source, rank)
        system.pipe({f"{root}/rank-{rank}/{name}": data for name, data in content.items()})
        size += sum(map(len, content.values()))
    return size


def measure(traces: list[Path], server: object, count: int) -> dict[str, object]:
    """What `tdbg why` takes on so many workers."""
    from tests.remote.object_storage import BUCKET, Server

    assert isinstance(server, Server)
    address = f"s3://{BUCKET}/run-{count}"
    began = time.perf_counter()
    size = put(traces, address, count)
    putting = time.perf_counter() - began
    server.faults.clear()
    took: Asked = ask(["why"], address)
    asked, given = len(server.faults.asked), server.faults.given
    print(
        f"{count:5,} workers, {size / 1e6:6.0f} MB: tdbg why {took.seconds:6.1f} s {took.megabytes:6.0f} MB of memory, "
        f"{asked:,} questions, {given / 1e6:.1f} MB read (put there in {putting:.0f} s)",
        flush=True,
    )
    return {"workers": count, "bytes": size, "why": asdict(took), "questions": asked, "read": given}


def main() -> None:
    """Prints what was measured, and keeps it."""
    from tests.remote.object_storage import s3_server

    with tempfile.TemporaryDirectory() as name:
        traces = record(Path(name) / "recorded", STEPS)
        from tensordbg.trace.reader import open_trace

        events = open_trace(traces[0]).tensor_count
        print(f"{events:,} tensor events each, of {RECORDED} workers that were recorded")
        with s3_server(Path(name)) as server:
            os.environ |= server.variables
            results = [measure(traces, server, count) for count in SIZES]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "storage.json").write_text(json.dumps({"events": events, "runs": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
