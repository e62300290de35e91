"""Lends the terminal to the screen, in the middle of a program that is not ours, and puts everything back.

Textual takes the signals of job control and of a changed size for itself and leaves them so; `asyncio.run` leaves the
thread without a loop, which a program may have, even running. So signals and the terminal's settings are put back, and
the screen gets a loop of its own. Where a thread of the framework stands still, inside of a function, no signals are
taken.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import termios
from collections.abc import Callable, Iterator

from tensordbg.console.fullscreen.handlers import handlers_where_possible, in_main_thread

_TAKEN = (
    *(signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, signal.SIGTTOU, signal.SIGTTIN),
    *(signal.SIGINT, signal.SIGTERM),
)


@contextlib.contextmanager
def borrowed_terminal() -> Iterator[asyncio.AbstractEventLoop]:
    """Gives a loop to run the screen in, as if none ran; afterwards terminal, signals and loops are as they were."""
    with handlers_where_possible(), _kept_signals(), _kept_settings(), _no_running_loop():
        loop = asyncio.new_event_loop()
        try:
            yield loop
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()


def end_in_order(loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
    """Sees to it that no signal ends the screen in the middle, and leaves the terminal as the screen had it.

    Args:
        loop: In which the screen runs.
        end: Ends the screen; done where the process is told to end. An interrupt from elsewhere does nothing, since
            Ctrl-C is a key of the screen.
    """
    if not in_main_thread():
        return  # the main one waits in the run that stands still, and no handler is called before it goes on

    def end_soon(*_: object) -> None:
        loop.call_soon_threadsafe(end)

    signal.signal(signal.SIGINT, lambda *_: None)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end_soon)


@contextlib.contextmanager
def _kept_signals() -> Iterator[None]:
    # None is a handler that was not set from Python, and can't be put back from there.
    taken = _TAKEN if in_main_thread() else ()
    handlers = {number: handler for number in taken if (handler := signal.getsignal(number)) is not None}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _kept_settings() -> Iterator[None]:
    descriptor = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
    try:
        settings = termios.tcgetattr(descriptor)
    except (termios.error, ValueError):
        yield
        return
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, settings)


@contextlib.contextmanager
def _no_running_loop() -> Iterator[None]:
    # The program may stand still inside a coroutine, whose loop waits below us until the screen is closed.
    running = asyncio._get_running_loop()  # noqa: SLF001 - asyncio keeps these two for loops; there is no other way
    asyncio._set_running_loop(None)  # noqa: SLF001
    try:
        yield
    finally:
        asyncio._set_running_loop(running)  # noqa: SLF001
