"""What it costs to record a program: ours at each detail, and TensorFlow's own debugger, next to the plain program.

Plain and watched steps alternate in one process, and the median of their paired ratios is what counts; absolute times
mean little on a shared machine. Each contender has a process of its own, as TensorFlow's debugger can be enabled only
once. A table is printed and kept in `benchmarks/results/`.
"""

from __future__ import annotations

import contextlib
import json
import os
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
SECONDS = 6.0
"""So long each pair of contenders is timed."""

OURS: dict[str, dict[str, Any]] = {
    "ops": {"detail": "ops"},
    "shapes": {"detail": "shapes"},
    "health": {"detail": "health"},
    "health, last 10,000": {"detail": "health", "last": 10_000},
    "health, every 10": {"detail": "health", "every": 10},
}
"""What `record` is asked for."""
CHECK = "check"
TRAP = "trap"
THEIRS = ("NO_TENSOR", "CURT_HEALTH", "CONCISE_HEALTH", "FULL_HEALTH", "check_numerics")
PROGRAMS = ("mlp", "transformer", "convolution", "eager", "keras fit")


@contextlib.contextmanager
def watching(contender: str, folder: str) -> Iterator[None]:
    """Has the contender watch what is built and run inside, and leave alone what was built before."""
    import tensorflow as tf

    import tensordbg
    import tensordbg.tensorflow
    from tensordbg.backends.tensorflow.functions import instrument as functions

    functions.live_functions = list
    if contender in OURS:
        with tensordbg.record(folder, **OURS[contender]):
            yield
    elif contender == CHECK:
        tensordbg.tensorflow.enable_check_numerics()
        try:
            yield
        finally:
            tensordbg.tensorflow.disable_check_numerics()
    elif contender == TRAP:
        with tensordbg.trap(folder):
            yield
    elif contender == "check_numerics":
        tf.debugging.enable_check_numerics()
        yield
    else:
        tf.debugging.experimental.enable_dump_debug_info(folder, contender, circular_buffer_size=1000)
        yield


def require_events(contender: str, folder: str) -> None:
    """Ends the process where ours was to record and did not, so that nothing is measured as if it were cheap.

    Raises:
        SystemExit: The trace holds no execution.
    """
    import tensordbg

    if contender in OURS and not tensordbg.open(folder).table("executions").num_rows:
        raise SystemExit(f"{contender}: nothing was recorded; does the compiled part fit the sources? try: make setup")


def timed(step: Callable[[], object]) -> float:
    """Seconds that a step takes."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def compare(program: str, contender: str) -> dict[str, float]:
    """Times the plain and the watched program in turn, in this process."""
    sys.path.insert(0, str(HERE))
    from programs.steps import PROGRAMS as MAKERS

    plain = MAKERS[program]()
    for _ in range(3):
        plain()
    if program == "eager":
        return _compare_eager(plain, contender)
    with tempfile.TemporaryDirectory() as folder:
        with watching(contender, folder):
            watched = MAKERS[program]()
            for _ in range(3):
                watched()
            pairs = []
            end = time.perf_counter() + SECONDS
            while time.perf_counter() < end:
                pairs.append((timed(plain), timed(watched)))
        require_events(contender, folder)
    return _summary(pairs)


def _compare_eager(step: Callable[[], object], contender: str) -> dict[str, float]:
    """Eager operations are watched wherever they are: plain and watched rounds take turns.

    TensorFlow's debugger can be enabled only once in a process, and has one round.
    """
    rounds = 1 if contender in THEIRS else 8
    pairs: list[tuple[float, float]] = []
    for _ in range(rounds):
        plain = [timed(step) for _ in range(200 // rounds)]
        with tempfile.TemporaryDirectory() as folder:
            with watching(contender, folder):
                step()
                watched = [timed(step) for _ in plain]
            require_events(contender, folder)
        pairs += zip(plain, watched, strict=True)
    return _summary(pairs)


def _summary(pairs: list[tuple[float, float]]) -> dict[str, float]:
    return {
        "ratio": statistics.median(watched / plain for plain, watched in pairs),
        # Where only some steps are recorded, the others are the median.
        "ratio_of_sums": sum(watched for _, watched in pairs) / sum(plain for plain, _ in pairs),
        "plain_ms": 1e3 * statistics.median(plain for plain, _ in pairs),
        "watched_ms": 1e3 * statistics.median(watched for _, watched in pairs),
        "pairs": len(pairs),
    }


def measured(program: str, contender: str) -> dict[str, float] | None:
    """The comparison, in a process of its own; None where the contender fails, with its last line on standard error."""
    command = [sys.executable, __file__, program, contender]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    )
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])
    print(f"{contender}, {program}: {(done.stderr.strip().splitlines() or ['no result'])[-1]}", file=sys.stderr)
    return None


def main() -> None:
    results: dict[str, dict[str, dict[str, float] | None]] = {}
    header = f"{'times the plain step':24}" + "".join(f"{name:>14}" for name in PROGRAMS)
    print(header)
    for contender in (*OURS, CHECK, TRAP, *THEIRS):
        results[contender] = {program: measured(program, contender) for program in PROGRAMS}
        ratios = [results[contender][program] for program in PROGRAMS]
        which = "ratio_of_sums" if "every" in contender else "ratio"
        cells = [f"{found[which]:14.2f}" if found else f"{'fails':>14}" for found in ratios]
        print(f"{contender:24}" + "".join(cells), flush=True)
    per_operation = results["health"]["eager"]
    if per_operation:
        added = (per_operation["watched_ms"] - per_operation["plain_ms"]) * 10
        print(f"an eager operation, recorded with health: {added:.1f} µs more")
    RESULTS.mkdir(exist_ok=True)
    facts = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    (RESULTS / "recording.json").write_text(json.dumps({"facts": facts, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(compare(sys.argv[1], sys.argv[2])))
    else:
        main()
