"""Says something on standard error inside the user's program, which must not notice where nobody can hear it.

Standard error may be full, closed, or a pipe whose reader is gone. What can't be written is dropped: kept in the
stream's buffer, it would fail again when Python ends, and change the program's exit code.
"""

from __future__ import annotations

import contextlib
import os
import sys

_STANDARD_ERROR = 2


def say(line: str) -> None:
    """Writes a line, `tdbg: ` before it."""
    with contextlib.suppress(Exception):
        sys.stderr.flush()
        write(f"tdbg: {line}\n")


def write(text: str) -> None:
    """Writes text as it is; nothing of it is left in a buffer.

    Raises:
        OSError: If it can't be written.
    """
    stream = sys.stderr
    try:
        number = stream.fileno()
    except (AttributeError, OSError, ValueError):
        number = -1  # a program may put whatever it likes there
    if number != _STANDARD_ERROR:
        stream.write(text)
        return
    left = text.encode(stream.encoding or "utf-8", "backslashreplace")
    while left:
        left = left[os.write(number, left) :]
