"""The debugger where a program asks for it itself: nobody stands around the program, so a run that raises is a stop."""

from __future__ import annotations

from tensordbg.console.running import Stop
from tensordbg.debug.debugger import Debugger

_END_OF_DATA = "OutOfRangeError"
"""How a run says that there is no more data; programs expect it."""


class SessionDebugger(Debugger):
    """Opens the console at once on the operation that raised; then the exception takes its course."""

    def _raised(self, error: BaseException, stop: Stop) -> None:
        super()._raised(error, stop)
        if isinstance(error, Exception) and type(error).__name__ != _END_OF_DATA:
            self._stop(self._failures.stop_of(error, stop.run), stop.run)
