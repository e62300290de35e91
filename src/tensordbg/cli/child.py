"""A child process that has the terminal, the signals and the streams as if it had been started by the shell itself."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import threading
from collections.abc import Sequence
from types import FrameType

FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
"""Signals that reach only us and are meant for the program."""

FROM_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)
"""Signals that a terminal sends to the program as well; they must not end us before it."""


class Child:
    """Starts a command and passes signals on to it, from `start` until `wait` has returned."""

    def __init__(self, command: Sequence[str]) -> None:
        """Prepares; nothing is started yet."""
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []
        self._former: dict[int, object] = {}

    def start(self) -> None:
        """Starts the command, which inherits everything from us."""
        # Handlers, unlike ignored signals, are not inherited by what a process starts.
        for number in (*FORWARDED, *FROM_THE_TERMINAL):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._former[number] = signal.signal(number, self._take)
        self._process = subprocess.Popen(self._command)
        for early in self._early:
            self._process.send_signal(early)

    def wait(self) -> int:
        """Waits until the program has ended.

        Returns:
            Its exit code, or the negative number of the signal that ended it.
        """
        assert self._process is not None
        try:
            return self._process.wait()
        finally:
            for number, handler in self._former.items():
                signal.signal(number, handler)  # type: ignore[arg-type]

    def _take(self, number: int, _: FrameType | None) -> None:
        if number in FROM_THE_TERMINAL and _terminal_sends_to_us():
            return
        if self._process is None:
            self._early.append(number)
        else:
            self._process.send_signal(number)


def end_as(status: int) -> int:
    """Ends us as the program ended.

    Args:
        status: As `Child.wait` returned it.

    Returns:
        The exit code to end with; does not return where a signal ended the program.
    """
    if status < 0:
        number = -status
        # The program has left its core file, if any; ours would be of no use.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if number not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        # A signal may be delivered a moment later.
        threading.Event().wait(1)
        return 128 + number
    return status


def _terminal_sends_to_us() -> bool:
    """Whether we are in the group of processes that the terminal's keys reach, so that the program is too."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
