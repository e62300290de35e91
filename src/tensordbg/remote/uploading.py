"""Puts traces from the local disk into object storage, while their program runs and when it has ended.

Nothing waits in memory: what is not there yet lies on the disk, and each round looks what that is. A round puts what
`sealed.json` names before `sealed.json` itself, and deletes what it names no more behind it, so that a reader finds a
whole trace at any moment, as it was a moment ago. Raw segments go along only in the last round, where they could not be
sealed.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from tensordbg.errors import TensordbgError
from tensordbg.remote.storage import Storage
from tensordbg.remote.trace_files import TraceFiles, files_of_trace

INTERVAL = 2.0
"""Seconds between two rounds while the program runs."""

_LONGEST = 60.0
"""Seconds between two rounds at most, where object storage can't be reached."""

ROUNDS = 5
"""So often the last round is tried."""

BREATH = 3.0
"""Seconds between two tries of the last round."""

PATIENCE = 60.0
"""Seconds after which no further round begins: who waits for the end of the program is told then."""

_TOGETHER = 4
"""So many files are put in place at a time, which bounds what of them is in memory."""

_STAMP = tuple[int, int]


@dataclass(frozen=True)
class Uploaded:
    """The outcome of putting everything in place."""

    files: int
    """How many files were put in place in all."""
    failure: str
    """Why something is not there, in one line; empty if all is."""


class Uploading:
    """Keeps a folder of traces in object storage up to date; used by one thread at a time."""

    def __init__(self, folder: Path, storage: Storage) -> None:
        """Of a trace, or a folder of traces. Nothing is put in place yet."""
        self._folder = folder
        self._storage = storage
        self._stamps: dict[str, _STAMP] = {}
        self._sealed: dict[str, bytes | None] = {}
        self._lock = threading.Lock()
        self._files = 0

    def put(self) -> None:
        """Puts in place what is new, of all traces.

        Raises:
            TraceError: If it can't be.
        """
        for trace in _traces(self._folder):
            # What is sealed or put together just now is looked at in the next round.
            with contextlib.suppress(FileNotFoundError):
                self._put_trace(trace, ended=False)

    def finish(self) -> Uploaded:
        """Puts in place all that there is, after the programs have ended; tries again for a while where it can't."""
        end = time.monotonic() + PATIENCE
        failure = self._try_all(end)
        for _ in range(ROUNDS - 1):
            if failure and time.monotonic() < end:
                time.sleep(BREATH)
                failure = self._try_all(end)
        return Uploaded(self._files, failure)

    def _try_all(self, end: float) -> str:
        """Puts all traces in place, as far as that is possible until then, and says what hindered it first."""
        failures: list[str] = []
        for trace in _traces(self._folder):
            if failures and time.monotonic() > end:
                break
            try:
                self._put_trace(trace, ended=True)
            except TensordbgError as error:
                failures.append(str(error))
            except OSError as error:
                failures.append(f"{error.filename or trace}: {error.strerror or error}")
        return failures[0] if failures else ""

    def _put_trace(self, trace: Path, *, ended: bool) -> None:
        files = files_of_trace(trace, ended=ended)
        name = "" if trace == self._folder else f"{trace.name}/"
        known = name in self._sealed and self._sealed[name] == files.sealed
        # Lines that nothing sealed refers to can wait; what became known of the program can't.
        self._put_together(trace, name, ("facts.jsonl",) if known and not ended else files.content)
        if known and not ended:
            return
        self._put_file(trace / "trace.json", f"{name}trace.json")
        if files.sealed is not None and self._sealed.get(name) != files.sealed:
            self._storage.write(f"{name}sealed.json", files.sealed)
            self._files += 1
        self._sealed[name] = files.sealed
        self._drop_others(name, files)

    def _put_together(self, trace: Path, name: str, files: tuple[str, ...]) -> None:
        with ThreadPoolExecutor(_TOGETHER, thread_name_prefix="tdbg-upload") as pool:
            # All are waited for, and the first error is raised.
            list(pool.map(lambda file: self._put_file(trace / file, f"{name}{file}"), files))

    def _put_file(self, path: Path, name: str) -> None:
        found = path.stat()
        stamp = found.st_size, found.st_mtime_ns
        if self._stamps.get(name) == stamp:
            return
        self._storage.put(name, path)
        with self._lock:
            self._stamps[name] = stamp
            self._files += 1

    def _drop_others(self, name: str, files: TraceFiles) -> None:
        """Deletes what was put in place before, and does not belong to the trace any more."""
        kept = {f"{name}{file}" for file in (*files.content, "trace.json")}
        for gone in [each for each in self._stamps if each.startswith(name) and each not in kept]:
            self._storage.delete(gone)
            del self._stamps[gone]


class BesideProgram:
    """A thread that keeps a folder of traces in object storage up to date, as long as the `with` block runs."""

    def __init__(self, uploading: Uploading) -> None:
        """Prepares; nothing is started yet."""
        self._uploading = uploading
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tdbg-upload", daemon=True)

    def __enter__(self) -> BesideProgram:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        pause = INTERVAL
        while not self._ended.wait(pause):
            try:
                self._uploading.put()
                pause = INTERVAL
            except Exception:  # noqa: BLE001  the last round, after the program, says what is wrong
                pause = min(2 * pause, _LONGEST)


def _traces(folder: Path) -> Iterator[Path]:
    if (folder / "trace.json").exists():
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        if (entry / "trace.json").exists():
            yield entry
