"""The exception that a check raises.

It is set for a thread from C++, which can only name its class. So what there is to say waits here, by thread, until the
thread makes the exception.
"""

from __future__ import annotations

import threading

from tensordbg.checking.found import CheckFound
from tensordbg.recording.carried import carry

_waiting: dict[int, tuple[str, CheckFound]] = {}


class BadNumberError(FloatingPointError):
    """An operation made the first infinity or NaN."""

    __module__ = "tensordbg.torch"

    def __init__(self, *words: object) -> None:
        """Takes what waits for this thread; with words, as a copy of one from another process, these."""
        waits = None if words else _waiting.pop(threading.get_ident(), None)
        super().__init__(*((waits[0],) if waits else words))
        if waits:
            carry(self, waits[1])


def tell(thread: int, message: str, found: CheckFound) -> None:
    """Has the next such exception of a thread say something."""
    _waiting[thread] = (message, found)
