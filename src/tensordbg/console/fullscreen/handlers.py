"""Lets Textual's driver start in any thread: where a function stops, one of the framework's threads stands still.

Python sets handlers of signals in its main thread alone. Textual sets them for the terminal's size and for job control,
so in another thread it has to do without, and `driver.py` looks at the size by itself.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

from textual.drivers import linux_driver


def in_main_thread() -> bool:
    """Whether handlers of signals can be set."""
    return threading.current_thread() is threading.main_thread()


@contextlib.contextmanager
def handlers_where_possible() -> Iterator[None]:
    """Has Textual's driver set handlers of signals in the main thread alone."""
    if in_main_thread():
        yield
        return
    driver: Any = linux_driver
    plain = driver.signal
    driver.signal = _Signals()
    try:
        yield
    finally:
        driver.signal = plain


class _Signals:
    """Python's module `signal`, by which no handler is set."""

    def __getattr__(self, name: str) -> Any:
        return getattr(signal, name)

    def signal(self, number: signal.Signals, handler: object) -> object:  # noqa: ARG002
        """Leaves the handler of a signal as it is, and gives that."""
        return signal.getsignal(number)
