"""A child process that has the terminal, the signals and the streams as if it had been started by the shell itself."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import threading
from collections.abc import Sequence
from types import FrameType

from tensordbg.cli.running.group_signals import GroupSignals
from tensordbg.cli.running.lasting_streams import outlast

FORWARDED = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
"""Signals that are meant for the program, and must not end us before it."""


class Child:
    """Starts a command and passes signals on to it, from `start` until `wait` has returned."""

    def __init__(self, command: Sequence[str], out: int | None = None) -> None:
        """Prepares; nothing is started yet.

        Args:
            command: The words of the command.
            out: The file descriptor that is its standard output; None for ours.
        """
        self._command = command
        self._out = out
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []
        self._former: dict[int, object] = {}
        self._group_signals: GroupSignals | None = None

    def start(self) -> None:
        """Starts the command, which inherits everything from us; what we say from now on may get lost."""
        outlast()
        # Handlers, unlike ignored signals, are not inherited by what a process starts.
        taken = [number for number in FORWARDED if signal.getsignal(number) is not signal.SIG_IGN]
        for number in taken:
            self._former[number] = signal.signal(number, self._take)
        # Where nothing more can be started, the program's own start says so.
        with contextlib.suppress(OSError):
            group_signals = GroupSignals(taken)
            group_signals.start()
            self._group_signals = group_signals
        self._process = subprocess.Popen(self._command, stdout=self._out)
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
            if self._group_signals is not None:
                self._group_signals.stop()

    def _take(self, number: int, _: FrameType | None) -> None:
        if self._process is None:
            self._early.append(number)
        elif self._group_signals is None or not self._group_signals.saw(number):
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
