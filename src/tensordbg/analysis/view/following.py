"""A trace that may grow: opened again when it has grown, though not more often than is worth the work."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path
from threading import RLock

from tensordbg.analysis.view.growth import Growth
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.overview import SoundTrace
from tensordbg.trace.folders.progress import Progress, progress_of
from tensordbg.trace.reader import open_trace

_PAUSE = 0.3
"""It is opened again after so many seconds, and after so many times what it took last."""
_TIMES = 8
_LATELY = 10.0
"""The rate is that of so many seconds."""


class FollowedTrace:
    """One trace, followed while its program runs."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read yet."""
        self._folder = folder
        self._lock = RLock()
        self._opened: OpenedTrace | None = None
        self._progress: Progress | None = None
        self._next_look = 0.0
        self._counts: deque[tuple[float, int]] = deque()

    def opened(self) -> OpenedTrace:
        """The trace as it is now, or was a moment ago.

        Raises:
            TraceError: If it can't be read.
        """
        known = self._opened
        # While it is opened again others are answered from what it was.
        if not self._lock.acquire(blocking=known is None):
            return known  # type: ignore[return-value] # it blocks where nothing is known
        try:
            now = time.monotonic()
            if self._opened is None or (now >= self._next_look and self._has_grown(self._opened)):
                self._open(now)
            return self._opened  # type: ignore[return-value] # it was opened just now
        finally:
            self._lock.release()

    def growth(self) -> Growth:
        """How far it has grown; see `opened`."""
        return self.opened().growth

    def rate(self) -> float:
        """Tensor events a second lately; 0 once nothing comes any more."""
        opened = self.opened()
        with self._lock:
            now = time.monotonic()
            self._note(now, opened.growth.tensor_events)
            (first, before), (last, count) = self._counts[0], self._counts[-1]
            return (count - before) / (last - first) if last > first and opened.growth.running else 0.0

    def _open(self, now: float) -> None:
        reader = open_trace(self._folder)
        metadata = reader.metadata
        self._progress = progress_of(self._folder, metadata.segment_records, metadata.last)
        opened = OpenedTrace(reader)
        count = opened.growth.tensor_events
        self._opened = opened
        took = time.monotonic() - now
        self._next_look = now + took + max(_PAUSE, _TIMES * took)
        self._note(now, count)

    def _has_grown(self, opened: SoundTrace) -> bool:
        metadata = opened.reader.metadata
        grown = progress_of(self._folder, metadata.segment_records, metadata.last) != self._progress
        # A program that was killed says nothing: it only is there no more.
        return grown or (opened.growth.running and not opened.reader.running)

    def _note(self, now: float, count: int) -> None:
        self._counts.append((now, count))
        while len(self._counts) > 2 and self._counts[1][0] < now - _LATELY:
            self._counts.popleft()
