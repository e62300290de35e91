"""Ctrl-C in a program that is debugged: it stops at the next run; a second time it interrupts the program."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SAID = "\ntdbg: the program stops at its next run; Ctrl-C once more interrupts it\n"


class Interrupt:
    """Takes Ctrl-C, where the program leaves it alone."""

    def __init__(self) -> None:
        """Nothing is taken yet."""
        self._asked = False

    def install(self) -> None:
        """Takes it from now on; only in the main thread, and not where it is to be ignored."""
        if _may_be_set() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._take)

    def uninstall(self) -> None:
        """Leaves it to Python again."""
        if _may_be_set() and signal.getsignal(signal.SIGINT) == self._take:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @property
    def waits(self) -> bool:
        """Whether it came."""
        return self._asked

    def asked(self) -> bool:
        """Whether it came since this was asked last."""
        asked, self._asked = self._asked, False
        return asked

    @contextmanager
    def left_alone(self) -> Iterator[None]:
        """Meanwhile it means what it means at a prompt."""
        if not _may_be_set():
            yield
            return
        handler = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, handler)
            self._asked = False

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            self._asked = False
            signal.default_int_handler(number, frame)
        self._asked = True
        sys.stderr.write(_SAID)


def _may_be_set() -> bool:
    return threading.current_thread() is threading.main_thread()
