"""Does what takes long beside the screen, which stays alive meanwhile, and gives it up when it is told to."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from threading import Lock, Thread


class GivenUpError(BaseException):
    """Raised in the middle of a job that is given up; no `except Exception` takes it for its own."""


class Job:
    """A function that runs in a thread of its own."""

    def __init__(self, work: Callable[[], None], given_up: Callable[[], None]) -> None:
        """Starts it.

        Args:
            work: What is done.
            given_up: What is done instead of the rest, in the same thread, when it is given up.
        """
        self._work = work
        self._given_up = given_up
        self._lock = Lock()
        self._running = True
        self._thread = Thread(target=self._run, name="tdbg-answer", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._work()
            with self._lock:
                self._running = False
        except GivenUpError:
            self._given_up()

    def give_up(self) -> None:
        """Ends it at the next line of Python that it comes to; done or given up already, nothing happens.

        An exception that a thread does not live to raise stays due for ever, and CPython 3.11 then never comes to the
        end of a function that is traced.
        """
        with self._lock:
            if self._running and self._thread.ident is not None:
                self._running = False
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread.ident), ctypes.py_object(GivenUpError)
                )
