"""`python -m tests.fuzz`: runs cases in several processes at a time; those that fail are kept and told.

`python -m tests.fuzz --cases 100000` is what `make fuzz` does, `python -m tests.fuzz --seed 1 --first 17 --cases 1`
repeats one case. A process that dies or hangs is a failure of the case that it was at; another goes on behind it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import threading
from pathlib import Path

from tests.fuzz.batches import Batch, run_batches

KEPT = Path("build/fuzz")


def main() -> int:
    """Runs what the command line says; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    print(f"seed {asked.seed}, cases {asked.first} to {asked.first + asked.cases - 1}", flush=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    lock = threading.Lock()
    failed = 0

    def told(failure: dict[str, object]) -> None:
        nonlocal failed
        with lock:
            failed += 1
            path = KEPT / f"{failure['seed']}-{failure['number']}.txt"
            repeat = f"python -m tests.fuzz --seed {failure['seed']} --first {failure['number']} --cases 1"
            path.write_text(f"{repeat}\n\n{failure['story']}\n")
            print(f"{path}: {str(failure['story']).strip().splitlines()[-1][:200]}", flush=True)

    def moved(number: int) -> None:
        if number % 1000 == 0:
            print(f"at {number}", flush=True)

    run_batches(Batch(asked.seed, asked.first, asked.cases), asked.workers, told, moved)
    print(json.dumps({"cases": asked.cases, "failed": failed}))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
