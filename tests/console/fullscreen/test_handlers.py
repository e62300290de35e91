"""Textual's driver may start in any thread, and sets handlers of signals in the main one alone."""

from __future__ import annotations

import signal
import threading
from typing import Any

from textual.drivers import linux_driver as textual_driver

from tensordbg.console.fullscreen.handlers import handlers_where_possible, in_main_thread

linux_driver: Any = textual_driver


def test_in_another_thread_no_handler_is_set() -> None:
    known = signal.getsignal(signal.SIGTSTP)
    told: list[Any] = []

    def start() -> None:
        with handlers_where_possible():
            told.append(in_main_thread())
            told.append(linux_driver.signal.signal(linux_driver.signal.SIGTSTP, lambda *_: None))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert told == [False, known]
    assert signal.getsignal(signal.SIGTSTP) is known
    assert linux_driver.signal is signal


def test_in_the_main_thread_all_is_as_textual_has_it() -> None:
    with handlers_where_possible():
        assert in_main_thread()
        assert linux_driver.signal is signal
