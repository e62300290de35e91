"""Keeps from the user what TensorFlow prints when the debugger ends a run from within.

An operation that ends a run makes the runtime say `Local rendezvous is aborting`, which reads as if something had gone
wrong. It writes that to the process's standard error by itself, so from then on what comes there is looked through.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from typing import IO

_BEGINS = (b"local_rendezvous.cc", b"Local rendezvous is aborting")
_GOES_ON = b"\t [["
"""How the lines begin that belong to the one before."""

_LONGEST_S = 2.0
"""So long the rest is waited for; a child may hold the other end."""


class QuietEnd:
    """Looks through what is written to standard error, once it has begun."""

    def __init__(self) -> None:
        self._kept: int | None = None
        self._reading: threading.Thread | None = None
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Leaves those lines out from now on; a second time it does nothing."""
        with self._lock, contextlib.suppress(OSError):
            if self._kept is not None:
                return
            self._kept = os.dup(2)
            read, write = os.pipe()
            os.dup2(write, 2)
            os.close(write)
            self._reading = threading.Thread(target=_pass_on, args=(os.fdopen(read, "rb"), self._kept), daemon=True)
            self._reading.start()
            atexit.register(self.end)

    def end(self) -> None:
        """Has standard error as it was."""
        with self._lock:
            if self._kept is None or self._reading is None:
                return
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.flush()
            os.dup2(self._kept, 2)
            self._reading.join(_LONGEST_S)
            self._kept = self._reading = None
            atexit.unregister(self.end)


def _pass_on(lines: IO[bytes], to: int) -> None:
    """Writes what comes in, but for what is left out."""
    leaving_out = False
    with lines:
        for line in iter(lines.readline, b""):
            leaving_out = all(word in line for word in _BEGINS) or (leaving_out and line.startswith(_GOES_ON))
            if not leaving_out:
                with contextlib.suppress(OSError):
                    os.write(to, line)
