"""One case: a copy of a sound folder, damaged as its number says, asked within bounds of time and memory."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.asking import ask
from tests.fuzz.damage import damage
from tests.fuzz.originals import Original

MOST_SECONDS = 5.0
"""Of the processor; a case that waits is ended after `MOST_WAITING`, as the machine may have others to serve."""
MOST_WAITING = 40.0
MOST_BYTES = 2**30
_ROOM = 3 * 2**30
"""So much more address space than at the start may be asked for, so that a case can't take the machine with it."""


@dataclass(frozen=True)
class Failure:
    """What went wrong, and with what."""

    seed: int
    number: int
    story: str
    """The damage, the question, and the traceback."""


class SlowError(BaseException):
    """The time was over."""


def run_case(originals: list[Original], seed: int, number: int, place: Path) -> Failure | None:
    """Runs one case in a folder of its own, which is gone when this returns; gives what failed."""
    chance = random.Random(f"{seed}:{number}")
    original = chance.choice(originals)
    here = Path.cwd()
    room = place / "case"
    shutil.copytree(original.folder, room, symlinks=True)
    os.chdir(room)
    done: list[str] = []
    try:
        done += damage(room / original.kind.value, chance)
        with _bounded():
            ask(original.kind, room / original.kind.value, chance)
    except (Exception, SlowError):  # noqa: BLE001  whatever comes is a failure
        story = "\n".join([f"{original.name}: {done}", traceback.format_exc()])
        return Failure(seed, number, story)
    finally:
        os.chdir(here)
        shutil.rmtree(room, ignore_errors=True)
    return None


@contextmanager
def _bounded() -> Iterator[None]:
    """Bounds time and memory of what is done in the block.

    Raises:
        SlowError: If it takes too much.
    """

    def over(*_: object) -> None:
        raise SlowError(f"it waited for more than {MOST_WAITING} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, MOST_WAITING)
    _forget_peak()
    begun = time.process_time()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    took, peak = time.process_time() - begun, _peak()
    if took > MOST_SECONDS:
        raise SlowError(f"it took {took:.1f} s")
    if peak > MOST_BYTES:
        raise SlowError(f"it took {peak:,} bytes")


def limit_memory() -> None:
    """Bounds the address space of this process; what it needs by itself should be there already."""
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + _ROOM, size + _ROOM))


def _forget_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return  # the peak is that of the process, then


def _peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024
