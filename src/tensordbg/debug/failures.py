"""The runs that raised: which of them ended the program is known only once nothing has caught it."""

from __future__ import annotations

import traceback
from dataclasses import replace

from tensordbg.console.pages.page import Place
from tensordbg.console.running import Stop, StopKind
from tensordbg.debug.raised import described, operation_of
from tensordbg.recording.carried import chain
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.failure import failure_behind


class Failures:
    """Remembers the last run that raised."""

    def __init__(self, catalog: Catalog) -> None:
        """None has."""
        self._catalog = catalog
        self._error: BaseException | None = None
        self._stop: Stop | None = None

    def note(self, error: BaseException, stop: Stop) -> None:
        """A run has raised; `stop` is that behind it."""
        self._error, self._stop = error, stop

    def stop_of(self, error: BaseException, run: int) -> Stop:
        """Where the program stands that an error ends, after so many runs."""
        failure_behind(error)  # has an eager operation recorded that failed, with what it was given
        operation, exception = operation_of(error), described(error)
        if self._stop is not None and any(each is self._error for each in chain(error)):
            return replace(self._stop, kind=StopKind.ERROR, exception=exception, operation=operation)
        return Stop(StopKind.ERROR, run, "", exception=exception, operation=operation, place=self._line_of(error))

    def _line_of(self, error: BaseException) -> Place | None:
        """The innermost line of the user's own code that the error came through."""
        code = self._catalog.user_code
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not code.is_own(frame.filename)]
        user = [frame for frame in frames if code.is_user(frame.filename)]
        return Place(user[-1].filename, user[-1].lineno or 0) if user else None
