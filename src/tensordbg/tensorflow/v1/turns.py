"""Lets several wrapped sessions record in one process, each into a folder of its own: one recording at a time.

A process has one recording. Where a run of another session comes, the recording of the one before rests, and goes on in
a further trace when that one runs again.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

from tensordbg.recording.session import Session

_LONGEST_S = 5.0
"""So long is waited for runs of the other session in other threads, which may wait for this one."""
_STEP_S = 0.002


class Holder(Protocol):
    """Something that records while it has its turn."""

    running: set[int]
    """The threads in which runs of it are under way."""

    def rest(self) -> None:
        """Ends the recording for now."""


class Turns:
    """Whose turn it is."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._holder: Holder | None = None

    @property
    def lock(self) -> threading.RLock:
        """Held while a turn is taken and a recording is begun."""
        return self._lock

    @property
    def free(self) -> bool:
        """Whether it is nobody's turn."""
        return self._holder is None

    def take(self, holder: Holder) -> None:
        """From now on it is this one's turn."""
        with self._lock:
            other = self._holder
            if other is not None and other is not holder:
                _wait_for(other)
                other.rest()
            self._holder = holder

    def give_way(self, holder: Holder) -> None:
        """Its turn ends, as the program begins a recording of its own; it may take another one when that has ended."""
        with self._lock:
            if self._holder is holder:
                _wait_for(holder)
                holder.rest()
                self._holder = None

    def other_recording(self) -> Session | None:
        """The recording under way that is not that of a wrapped session: `tdbg run`'s, or a block's of the program."""
        return Session.current() if self._holder is None else None

    def leave(self, holder: Holder) -> None:
        """It is nobody's turn any more, if it was this one's."""
        with self._lock:
            if self._holder is holder:
                self._holder = None


TURNS = Turns()
"""Those of this process."""


def _wait_for(other: Holder) -> None:
    own = threading.get_ident()
    end = time.monotonic() + _LONGEST_S
    while other.running - {own} and time.monotonic() < end:
        time.sleep(_STEP_S)
