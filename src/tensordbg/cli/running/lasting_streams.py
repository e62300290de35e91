"""Standard streams that go on when nobody can take what is written: what counts then is the program's exit code."""

from __future__ import annotations

import sys
from typing import Any


class LastingStream:
    """A stream that drops what can't be written, at once and when Python ends."""

    def __init__(self, stream: Any) -> None:
        """Writes to `stream` as long as that is possible."""
        self._stream = stream
        self._broken = False

    def write(self, text: str) -> int:
        """See `io.TextIOBase.write`."""
        if not self._broken:
            try:
                self._stream.write(text)
            except (OSError, ValueError):
                self._broken = True
        return len(text)

    def flush(self) -> None:
        """See `io.IOBase.flush`."""
        if not self._broken:
            try:
                self._stream.flush()
            except (OSError, ValueError):
                self._broken = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def outlast() -> None:
    """Has both streams of this process go on from now on."""
    if not isinstance(sys.stderr, LastingStream):
        sys.stdout, sys.stderr = (None if each is None else LastingStream(each) for each in (sys.stdout, sys.stderr))
