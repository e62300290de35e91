"""Divides the cases among processes; each tells what it is at, so that its death is known to be of that case."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.cases import MOST_WAITING, limit_memory, run_case

Told = Callable[[dict[str, object]], None]
Moved = Callable[[int], None]

_TOGETHER = 1000
"""So many cases a process runs: it takes seconds to begin."""

ROOT = Path(__file__).parents[2]

_MEMORY = Path("/dev/shm")
"""A disk that is none, where there is one: each case makes and deletes dozens of files."""


@dataclass(frozen=True)
class Batch:
    """Cases that are run one after the other."""

    seed: int
    first: int
    count: int

    def parts(self, size: int) -> list[Batch]:
        """The same cases in smaller batches."""
        end = self.first + self.count
        return [Batch(self.seed, at, min(size, end - at)) for at in range(self.first, end, size)]


def run_batches(batch: Batch, workers: int, told: Told, moved: Moved = lambda _: None) -> None:
    """Runs all cases; `told` is called with each failure, `moved` with the number of each case that begins."""
    waiting = batch.parts(_TOGETHER)[::-1]
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                if not waiting:
                    return
                mine = waiting.pop()
            _run_one(mine, told, moved)

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _run_one(batch: Batch, told: Told, moved: Moved) -> None:
    """Runs a batch in a process, and what is left of it in another where that died."""
    end = batch.first + batch.count
    at = batch.first
    while at < end:
        words = [sys.executable, "-m", "tests.fuzz.batches", str(batch.seed), str(at), str(end - at)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            watch = _Watch(process)
            for line in process.stdout or ():
                said = json.loads(line)
                if "at" in said:
                    at = said["at"]
                    moved(at)
                    watch.again()
                else:
                    told(said)
            watch.stop()
        if process.returncode == 0:
            return
        told({"seed": batch.seed, "number": at, "story": f"the process died of it: {process.returncode}"})
        at += 1


class _Watch:
    """Kills a process that tells nothing any more, not even that its time is over."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._timer = self._begin()

    def again(self) -> None:
        self._timer.cancel()
        self._timer = self._begin()

    def stop(self) -> None:
        self._timer.cancel()

    def _begin(self) -> threading.Timer:
        timer = threading.Timer(3 * MOST_WAITING, self._process.kill)
        timer.daemon = True
        timer.start()
        return timer


def run_here(batch: Batch, tell: Callable[[dict[str, object]], None]) -> None:
    """Runs a batch in this process."""
    from tests.fuzz.originals import make_originals

    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        place = Path(folder)
        originals = make_originals(place / "originals")
        limited = False
        for number in range(batch.first, batch.first + batch.count):
            tell({"at": number})
            failure = run_case(originals, batch.seed, number, place)
            if failure is not None:
                tell(vars(failure))
            if number - batch.first >= 20 and not limited:
                limited = True
                limit_memory()


if __name__ == "__main__":
    seed, first, count = map(int, sys.argv[1:])
    _out = sys.stdout
    run_here(Batch(seed, first, count), lambda said: print(json.dumps(said), file=_out, flush=True))
