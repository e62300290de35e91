"""A file that is appended to for as long as the program runs, whatever the program does with descriptors.

A program may close those that it has not opened (`os.closerange`); its own next files then get their numbers, and
nothing of ours may be written into those, nor may they be closed. `native/log/held_file.h` is the same for the compiled
part.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

HIGH = 900
"""From this number on: the program's own files get the numbers that they would get without us."""


class HeldFile:
    """Appends to a file of its own; used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        """Makes the file.

        Raises:
            OSError: If it is there already, or can't be made.
        """
        self._path = str(path.absolute())  # the program may change its folder
        self._descriptor = _open_high(self._path, os.O_CREAT | os.O_EXCL)
        self._identity = _identity(self._descriptor)

    def append(self, data: bytes) -> None:
        """Appends with one write, and more only where the system takes a part; all or nothing.

        Raises:
            OSError: If it can't be written, or the program closed it and it can't be opened again.
        """
        left = data
        try:
            while left:
                self._see_to_it()
                left = left[os.write(self._descriptor, left) :]
        except OSError:
            self._take_back(len(data) - len(left))
            raise

    def close(self) -> None:
        """Closes it, unless the program has done so."""
        if self._is_ours(self._descriptor):
            os.close(self._descriptor)

    def _take_back(self, count: int) -> None:
        """Gives the room of a part to what is shorter, on a disk that is nearly full."""
        with contextlib.suppress(OSError):
            if count and self._is_ours(self._descriptor):
                os.ftruncate(self._descriptor, os.fstat(self._descriptor).st_size - count)

    def _see_to_it(self) -> None:
        """Opens the file again where the program has closed it."""
        if self._is_ours(self._descriptor):
            return
        opened = _open_high(self._path, 0)
        if not self._is_ours(opened):
            os.close(opened)
            raise OSError(errno.ESTALE, "another file has taken its place")
        self._descriptor = opened

    def _is_ours(self, descriptor: int) -> bool:
        with contextlib.suppress(OSError):
            return _identity(descriptor) == self._identity
        return False


def _open_high(path: str, flags: int) -> int:
    low = os.open(path, os.O_WRONLY | os.O_APPEND | flags, 0o666)
    try:
        high = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, HIGH)
    except OSError:
        return low  # the process may have few descriptors
    os.close(low)
    return high


def _identity(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino
