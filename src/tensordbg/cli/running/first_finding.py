"""Tells on the terminal of the first finding while the program runs: in one line, once.

There is no line that stays and is drawn anew: the program writes to the same terminal, with bars and prompts of its
own, and nobody knows where its cursor is. Whatever draws over that, or stands between it and the program, would change
what the program shows. One whole line, as a warning of Python's would be, is all that can be said without harm. It
begins on a line of its own, and is left out where the program has the terminal to itself, as an editor has, or runs in
the background.
"""

from __future__ import annotations

import contextlib
import os
import sys
import termios
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from tensordbg.cli.output import print_note

if TYPE_CHECKING:
    from tensordbg.watching.news import News

INTERVAL = 0.5
"""Seconds between two looks at the newest events."""
_SHARE = 20
"""A look at the whole trace may take so small a part of the time: what is not finite may be harmless, many times."""
_PATIENT = 10
"""How nice those looks are to the program, as for `nice`."""


class FirstFinding:
    """A thread that looks for the first finding as long as the `with` block runs, if there is a terminal to tell it."""

    def __init__(self, trace: Path) -> None:
        """Prepares; nothing is started yet."""
        self._trace = trace
        self._ended = threading.Event()
        self._saying = threading.Lock()

    def __enter__(self) -> FirstFinding:
        if may_tell():
            threading.Thread(target=self._run, name="tdbg-finding", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._saying:
            self._ended.set()

    def _run(self) -> None:
        # The trace may be damaged, or grow while it is read: the summary, after the program, says what is wrong.
        with contextlib.suppress(Exception):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PATIENT)
            self._look()

    def _look(self) -> None:
        from tensordbg.trace.folders.newest_bad import NewestBad

        newest = NewestBad(self._trace)
        pause = INTERVAL
        while not self._ended.wait(pause):
            pause = INTERVAL
            if newest.look():
                began = time.thread_time()
                news = _first_finding(self._trace)
                if news is not None:
                    self._say(news)
                    return
                pause = max(INTERVAL, _SHARE * (time.thread_time() - began))

    def _say(self, news: News) -> None:
        from tensordbg.cli.running.summary import command_name

        with self._saying:
            if not self._ended.is_set() and may_tell():
                place = f" ({news.place})" if news.place else ""
                sys.stderr.write("\n")
                print_note(f"tdbg: {news.headline}{place}; `tdbg why{command_name(self._trace)}` tells more")


def _first_finding(trace: Path) -> News | None:
    from tensordbg.watching.looking import Looking
    from tensordbg.watching.news import FINDING, news_of

    look = Looking(trace).look()
    return None if look is None else next((each for each in news_of(look.result) if each.kind == FINDING), None)


def may_tell() -> bool:
    """Whether standard error is a terminal in which a line between those of the program does no harm."""
    if os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        return False
    try:
        terminal = sys.stderr.fileno()
        # To one in the background, a line is a reason to be stopped.
        if not os.isatty(terminal) or os.tcgetpgrp(terminal) != os.getpgrp():
            return False
        local = termios.tcgetattr(terminal)[3]
    except (OSError, ValueError, AttributeError, termios.error):
        return False
    # Who reads single keys draws the whole screen, as a rule.
    return bool(local & termios.ICANON and local & termios.ECHO)
