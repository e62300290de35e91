"""Waits for what the workers of a cluster answer, and for workers where there are none."""

from __future__ import annotations

import time
from collections.abc import Callable

from tensordbg.errors import UsageError

REACHED = 10.0
"""Seconds in which the server of a cluster must answer."""

_LOOK = 2.0
"""Seconds after which one looks again whether there are workers."""

_ALONE = 60.0
"""Seconds that may pass without any worker: meanwhile those that died may be started again, or new ones."""


def wait_for_answers(answered: Callable[[float], bool], has_workers: Callable[[], bool], none: str) -> None:
    """Waits until all is answered, for as long as there are workers.

    Args:
        answered: Waits for so many seconds at most; whether all is answered then.
        has_workers: Whether anybody could answer now.
        none: Says that nobody can, and what to do.

    Raises:
        UsageError: If nobody could for a minute.
    """
    alone = time.monotonic()
    while not answered(_LOOK):
        if has_workers():
            alone = time.monotonic()
        elif time.monotonic() - alone > _ALONE:
            raise UsageError(none)
