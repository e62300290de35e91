"""Seals the trace of a running program from outside of it, so that the program spends no time on that."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from types import TracebackType

INTERVAL = 1.0
"""Seconds between two looks at the trace."""


class Sealing:
    """A thread that turns full segments into tables, as long as the `with` block runs."""

    def __init__(self, trace: Path) -> None:
        """Prepares; nothing is started yet."""
        self._trace = trace
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tdbg-seal", daemon=True)

    def __enter__(self) -> Sealing:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        # A full disk, a damaged segment: the last sealing, after the program, says what is wrong.
        with contextlib.suppress(Exception):
            while not self._ended.wait(INTERVAL):
                self._seal()

    def _seal(self) -> None:
        from tensordbg.trace.sealed.seal import seal_full_segments

        seal_full_segments(self._trace)
