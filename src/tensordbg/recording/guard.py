"""Where code of ours runs inside the user's program, a fault in it must not get out."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType


class guarded:  # noqa: N801  used as a function is; a generator would take three times as long, several times a step
    """Hands a fault to `fail(what, error)`; what is meant for the program, such as `KeyboardInterrupt`, passes."""

    __slots__ = ("_fail", "_what")

    def __init__(self, what: str, fail: Callable[[str, BaseException], None]) -> None:
        """Guards the block.

        Args:
            what: What the block does, for the message.
            fail: Called with it and the exception.
        """
        self._what = what
        self._fail = fail

    def __enter__(self) -> None:
        """Changes nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Keeps an exception from the program, whatever it is."""
        if not isinstance(error, Exception):
            return False
        self._fail(self._what, error)
        return True
