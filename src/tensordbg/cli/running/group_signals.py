"""Tells a signal that was sent to us alone from one that was sent to our whole group of processes.

The program that we run is in our group: what a terminal's keys, `kill -TERM -GROUP` or `timeout` send to the group has
reached it, and must not be passed on once more. The system does not tell whom a signal was meant for. So a small
process of the same group, whose number nobody knows, notes what reaches it. It runs this file by itself, without the
package.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence

_SENDING = 0.02
"""Seconds: a signal reaches the processes of a group one after the other, and `timeout` sends to one of them first."""

_PATIENCE = 2.0
"""Seconds until an observing process that does not answer, since it was stopped, say, is passed over."""

_LOOK = 0.05
"""Seconds until it is looked whether an answer has been read meanwhile."""


class GroupSignals:
    """A process of our group that notes signals, from `start` to `stop`; it ends when we end, whatever ends us."""

    def __init__(self, signals: Sequence[int]) -> None:
        """Will note these; nothing is started yet."""
        self._signals = signals
        self._seen: dict[int, float] = {}
        self._unclaimed: set[int] = set()
        self._asked = 0
        self._answered = 0

    def start(self) -> None:
        """Starts it."""
        theirs, self._questions = os.pipe()
        self._answers, ours = os.pipe()
        os.set_blocking(self._answers, False)
        words = [sys.executable, "-I", "-S", __file__, *(str(number) for number in (theirs, ours, *self._signals))]
        # It must neither miss a signal nor be ended by one before it is ready.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, self._signals)
        try:
            nothing = subprocess.DEVNULL
            self._process = subprocess.Popen(
                words, stdin=nothing, stdout=nothing, stderr=nothing, pass_fds=(theirs, ours)
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(theirs)
        os.close(ours)

    def stop(self) -> None:
        """Ends it."""
        os.close(self._questions)
        os.close(self._answers)
        self._process.wait()

    def saw(self, number: int) -> bool:
        """Whether a signal that has just reached us was sent to the whole group.

        Where several have reached us, whoever asks for the first of them may be told of another one too.
        """
        asked = time.monotonic()
        time.sleep(_SENDING)
        self._ask()
        to_all = number in self._unclaimed or self._seen.get(number, 0.0) >= asked
        self._unclaimed.discard(number)
        return to_all

    def _ask(self) -> None:
        """Reads all that reached the observing process until now: its answer comes behind the signals.

        Another signal may interrupt this at any point and ask too; it then reads what was meant for both.
        """
        self._asked += 1
        mine = self._asked
        end = time.monotonic() + _PATIENCE
        with contextlib.suppress(OSError):  # it was killed
            os.write(self._questions, b"?")
            while self._answered < mine and time.monotonic() < end:
                select.select([self._answers], [], [], _LOOK)
                with contextlib.suppress(BlockingIOError):
                    if not self._read():
                        return

    def _read(self) -> bytes:
        said = os.read(self._answers, 4096)
        self._answered += said.count(0)
        seen = [number for number in said if number]
        self._seen.update((number, time.monotonic()) for number in seen)
        self._unclaimed.update(seen)
        return said


def _observe(questions: int, answers: int, signals: Iterable[int]) -> None:
    """Observes until nobody can ask any more: numbers of signals go into `answers`, a 0 answers."""
    os.set_blocking(answers, False)
    signal.set_wakeup_fd(answers, warn_on_full_buffer=False)
    for number in signals:
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
    while os.read(questions, 1):
        os.write(answers, b"\0")


if __name__ == "__main__":
    _questions, _answers, *_signals = map(int, sys.argv[1:])
    _observe(_questions, _answers, _signals)
