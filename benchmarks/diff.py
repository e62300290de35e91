"""`tdbg diff` of two long trainings: how long it takes, and with how much memory.

A training of a million tensor events is recorded, and three others: one that computes the same otherwise, one that
normalizes with another epsilon, and one that trains at another rate in its second half. Each is compared with the first
in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results"
EVENTS = 1_000_000
CHANGES = {"written": 0, "epsilon": 1, "late": 1}
"""By what is changed the code that the command ends with."""


def record(folder: Path, name: str, *change: str) -> None:
    """Records one of the trainings."""
    program = [str(HERE / "programs" / "twin.py"), str(EVENTS), *change]
    command = [sys.executable, "-m", "tensordbg", "run", "--trace", str(folder / name), *program]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)


def compared(folder: Path, change: str) -> dict[str, float]:
    """Compares one with the first: seconds, seconds of computing and megabytes, the interpreter's start included."""
    arguments = [sys.executable, "-m", "tensordbg", "diff", str(folder / "reference"), str(folder / change)]
    began = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status) != CHANGES[change]:
        raise RuntimeError(" ".join(arguments))
    computing = usage.ru_utime + usage.ru_stime
    return {"seconds": seconds, "computing": computing, "megabytes": usage.ru_maxrss / 1e3}


def main() -> None:
    """Prints what was measured, and keeps it."""
    from tensordbg.trace.reader import open_trace

    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record(folder, "reference")
        count = open_trace(folder / "reference").tensor_count
        for change in CHANGES:
            record(folder, change, change)
            took = results[change] = compared(folder, change)
            print(
                f"{change:8} {count:,} tensor events on each side: {took['seconds']:6.1f} s, "
                f"{took['computing']:6.1f} s of computing, {took['megabytes']:6.0f} MB",
                flush=True,
            )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "diff.json").write_text(json.dumps({"events": count, **results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
