"""Long traces: how fast they are sealed, how large they are, and how long and with how much memory they are asked.

A real training is recorded until it has so many tensor events, and killed there, so that all of it is still raw. Then
it is sealed, and each command is run in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SIZES = (1_000_000, 10_000_000)
COMMANDS = {
    "why": ["why"],
    "ls": ["ls", "--non-finite", "--limit", "200"],
    "show": ["show", "matmul_1:0"],
    "sql": ["sql", "select count(*), max(step) from tensors where nan > 0"],
}

# The trace is left raw, as by a program that was killed.
RECORD = """
import os, runpy, sys, tensordbg
with tensordbg.record(sys.argv[1]):
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")
    os._exit(0)
"""


@dataclass(frozen=True)
class Asked:
    """What a command took."""

    seconds: float
    megabytes: float
    """The largest resident memory of its process."""


def record(folder: Path, events: int) -> Path:
    """Records a long training, and returns its trace."""
    program = str(HERE / "programs" / "long_run.py")
    command = [sys.executable, "-c", RECORD, str(folder), program, str(events)]
    subprocess.run(command, check=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    (trace,) = folder.iterdir()
    return trace


def ask(command: list[str], trace: Path) -> Asked:
    """Runs a command on a trace, the interpreter's start included."""
    arguments = [sys.executable, "-m", "tensordbg", command[0], str(trace), *command[1:]]
    began = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if status != 0:
        raise RuntimeError(" ".join(arguments))
    return Asked(seconds, usage.ru_maxrss / 1e3)


def measure(events: int, folder: Path) -> dict[str, object]:
    """Everything about one length of a trace."""
    from tensordbg.trace.reader import open_trace
    from tensordbg.trace.sealed.seal import seal_all

    trace = record(folder, events)
    began = time.perf_counter()
    seal_all(trace)
    sealing = time.perf_counter() - began
    count = open_trace(trace).tensor_count
    size = sum(file.stat().st_size for file in trace.rglob("*") if file.is_file())
    asked = {name: ask(command, trace) for name, command in COMMANDS.items()}
    rate = f"{count / sealing / 1e6:.2f} million a second"
    print(f"{count:,} tensor events: sealed at {rate}, {size / count:.1f} bytes each")
    for name, took in asked.items():
        print(f"  tdbg {name:5} {took.seconds:6.1f} s {took.megabytes:8.0f} MB", flush=True)
    return {
        "events": count,
        "sealed_per_second": count / sealing,
        "bytes_per_event": size / count,
        "asked": {name: asdict(took) for name, took in asked.items()},
    }


def main() -> None:
    """Prints what was measured, and keeps it."""
    results = []
    for events in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            results.append(measure(events, Path(folder)))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "scale.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
