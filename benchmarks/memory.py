"""What recording, checking and trapping add to the largest memory of a program.

Each contender trains in a process of its own, with the same steps; what its process held at most is compared with the
plain one's. Medians of a few runs count, as the size of TensorFlow's pools differs from run to run. A table is printed
and kept in `benchmarks/results/`.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PLAIN = "plain"
CONTENDERS = ("ops", "health", "health, last 10,000", "check", "trap")
PROGRAMS = {"mlp": 2000, "transformer": 100, "convolution": 400, "keras fit": 10}
"""How many steps each takes."""
WANTED_MB = 200


def run(program: str, contender: str, steps: int) -> float:
    """Trains in this process, and returns the most memory that it held, in MB."""
    sys.path.insert(0, str(HERE))
    from programs.steps import PROGRAMS as MAKERS
    from recording import require_events, watching

    with tempfile.TemporaryDirectory() as folder:
        with watching(contender, folder) if contender != PLAIN else contextlib.nullcontext():
            step = MAKERS[program]()
            for _ in range(steps):
                step()
        kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        require_events(contender, folder)
    return kilobytes / (1e6 if sys.platform == "darwin" else 1e3)


def measured(program: str, contender: str, steps: int) -> float:
    """The same in a process of its own."""
    command = [sys.executable, __file__, program, contender, str(steps)]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout.strip().splitlines()[-1])


def main(runs: int) -> None:
    """Prints what was measured, and keeps it."""
    results: dict[str, dict[str, float]] = {}
    print(f"{f'MB more (wanted: {WANTED_MB})':24}" + "".join(f"{name:>14}" for name in PROGRAMS))
    for contender in (PLAIN, *CONTENDERS):
        megabytes = {
            program: statistics.median(measured(program, contender, steps) for _ in range(runs))
            for program, steps in PROGRAMS.items()
        }
        results[contender] = megabytes
        if contender != PLAIN:
            cells = [f"{megabytes[program] - results[PLAIN][program]:14.0f}" for program in PROGRAMS]
            print(f"{contender:24}" + "".join(cells), flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "memory.json").write_text(json.dumps({"megabytes": results}, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        print(run(sys.argv[1], sys.argv[2], int(sys.argv[3])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
