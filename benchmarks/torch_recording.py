"""What it costs to record a PyTorch program: ours, and PyTorch's own ways to look at numbers, next to the plain one.

Blocks of plain and watched steps alternate in one process with one compute thread, in processor time of that thread,
and the median of their paired ratios is what counts. A table is printed and kept in `benchmarks/results/`.
"""

from __future__ import annotations

import contextlib
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SECONDS = 12.0
"""So long each pair of contenders is timed."""
BLOCK = 0.25
"""So many seconds of plain steps make a block."""
WARM = 2
"""So many steps of each block are not timed: what was made before comes in as from outside."""

OURS = {"health": {"detail": "health"}, "shapes": {"detail": "shapes"}}
THEIRS = ("detect_anomaly", "DebugMode, hashes")
PROGRAMS = ("transformer", "convolution", "mlp")
GOALS = {"transformer": 1.10, "convolution": 1.20, "mlp": 1.60}


@contextlib.contextmanager
def watching(contender: str, folder: str) -> Iterator[None]:
    """Has the contender watch what runs inside."""
    import torch

    import tensordbg

    if contender in OURS:
        with tensordbg.record(folder, **OURS[contender]):
            yield
    elif contender == "detect_anomaly":
        with torch.autograd.set_detect_anomaly(True):
            yield
    else:
        from torch.utils._debug_mode import DebugMode

        with DebugMode() as mode, mode.log_tensor_hashes(hash_inputs=True):
            yield


def block(step: Callable[[], Any], count: int) -> float:
    """Processor time of a step, the median of some."""
    for _ in range(WARM):
        step()
    times = []
    for _ in range(count):
        begin = time.thread_time()
        step()
        times.append(time.thread_time() - begin)
    return statistics.median(times)


def measure(program: str, contender: str) -> None:
    """Prints the ratios of one contender, in a process of its own."""
    import warnings

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    sys.path.insert(0, str(HERE))
    from programs import torch_steps

    step = torch_steps.STEPS[program]()
    plain = block(step, 5)
    count = max(3, int(BLOCK / max(plain, 1e-5)))
    ratios = []
    end = time.perf_counter() + SECONDS
    with tempfile.TemporaryDirectory() as folder:
        while time.perf_counter() < end or len(ratios) < 5:
            before = block(step, count)
            with watching(contender, f"{folder}/{len(ratios)}"):
                watched = block(step, count)
            after = block(step, count)
            ratios.append(2 * watched / (before + after))
    print(json.dumps({"plain_ms": plain * 1e3, "ratios": ratios}))


def main() -> None:
    """Times all contenders, prints the table and keeps it."""
    if len(sys.argv) == 3:
        return measure(*sys.argv[1:])
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed here")
        return None
    rows = []
    for program in PROGRAMS:
        for contender in (*OURS, *THEIRS):
            done = subprocess.run(
                [sys.executable, __file__, program, contender], capture_output=True, check=False, text=True
            )
            if done.returncode != 0:
                print(f"{program:14}{contender:22}failed: {done.stderr.strip().splitlines()[-1:]}")
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            low, middle, high = statistics.quantiles(found["ratios"], n=4)
            goal = f"  goal {GOALS[program]:.2f}" if contender == "health" else ""
            row = f"{program:14}{contender:22}{middle:6.2f}  ({low:.2f} to {high:.2f}){goal}"
            print(row, flush=True)
            rows.append(row)
    RESULTS.mkdir(exist_ok=True)
    title = f"PyTorch {torch.__version__}, Python {platform.python_version()}, times plain, eager, one thread\n"
    (RESULTS / "torch_recording.txt").write_text(title + "\n".join(rows) + "\n")
    return None


if __name__ == "__main__":
    main()
