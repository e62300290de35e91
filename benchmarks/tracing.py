"""What it costs to trace a function that is recorded or checked, next to the plain one.

Functions of 200 to 20,000 operations are traced and called once: what is added is looking at the graph, its stacks and
its source, and the graph that runs instead. Plain and watched functions alternate in one process, and the median of
their paired ratios is what counts. Wanted: at most twice the plain time, whatever the number of operations.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recording import CHECK, RESULTS, watching

OPERATIONS = (200, 2_000, 20_000)
PAIRS = {200: 15, 2_000: 7, 20_000: 3}
CONTENDERS = ("health", CHECK)


def function_of(operations: int) -> Callable[[], Any]:
    """A function that has so many operations, made anew each time: a chain as unrolled layers make it."""
    import tensorflow as tf

    @tf.function(autograph=False)
    def chain(x: Any) -> Any:
        for _ in range(operations // 4):
            x = tf.tanh(x * 0.5 + 1.0)
        return x

    start = tf.ones([2])
    return lambda: chain(start).numpy()


def traced(operations: int) -> float:
    """Seconds of the first call."""
    call = function_of(operations)
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def compare(contender: str, operations: int) -> dict[str, float]:
    """Traces plain and watched functions in turn, in this process."""
    import tensorflow as tf

    tf.ones([2]).numpy()
    traced(operations // 10)
    pairs = []
    for _ in range(PAIRS[operations]):
        plain = traced(operations)
        with tempfile.TemporaryDirectory() as folder, watching(contender, f"{folder}/trace"):
            pairs.append((plain, traced(operations)))
    return {
        "ratio": statistics.median(watched / plain for plain, watched in pairs),
        "plain_seconds": statistics.median(plain for plain, _ in pairs),
        "pairs": len(pairs),
    }


def main() -> None:
    results: dict[str, dict[int, Any]] = {}
    print(f"{'times the plain tracing':24}" + "".join(f"{f'{count:,} ops':>14}" for count in OPERATIONS))
    for contender in CONTENDERS:
        results[contender] = {}
        for count in OPERATIONS:
            command = [sys.executable, __file__, contender, str(count)]
            environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            results[contender][count] = json.loads(done.stdout.strip().splitlines()[-1])
        cells = "".join(f"{found['ratio']:14.2f}" for found in results[contender].values())
        print(f"{contender:24}{cells}", flush=True)
    (Path(RESULTS) / "tracing.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(compare(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
