"""A local file that has only those bytes of a file in object storage that somebody has asked for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

Span = tuple[int, int]
"""From one byte up to and without another."""

Reading = Callable[[Sequence[Span]], list[bytes]]

_NEAR = 2**16
"""Bytes between two spans that are brought along rather than asking twice."""

_AT_ONCE = 2**23
"""Bytes of one question: a span of more is asked for in several, side by side."""


class HoledFile:
    """A sparse file; may be asked from several threads at once."""

    def __init__(self, path: Path, size: int, read: Reading) -> None:
        """Makes the file, empty but of its final size.

        Raises:
            OSError: If it can't be made.
        """
        self._path = path
        self._size = size
        self._read = read
        self._known: list[Span] = []
        self._lock = threading.Lock()
        self.brought = 0
        """How many bytes were asked for so far."""
        draft = path.with_name(f"{path.name}.draft")
        with draft.open("wb") as file:
            file.truncate(size)
        draft.replace(path)

    @property
    def size(self) -> int:
        """How many bytes it has, brought or not."""
        return self._size

    def need(self, spans: Sequence[Span]) -> None:
        """Sees to it that some bytes are there; what lies behind the end of the file is left out.

        Raises:
            FileNotFoundError: If the file is gone.
            OSError: If it is shorter than it was, or can't be written here.
            TraceError: If it can't be reached.
        """
        with self._lock:
            wanted = [(max(begin, 0), min(end, self._size)) for begin, end in spans]
            missing = _near_together(_without(_united(wanted), self._known))
            pieces = [(at, min(at + _AT_ONCE, end)) for begin, end in missing for at in range(begin, end, _AT_ONCE)]
            if not pieces:
                return
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CLOEXEC)
            try:
                for (begin, end), data in zip(pieces, self._read(pieces), strict=True):
                    if len(data) != end - begin:
                        raise OSError(
                            5, f"has only {begin + len(data):,} bytes, and had {self._size:,}", str(self._path)
                        )
                    os.pwrite(descriptor, data, begin)
                    self.brought += len(data)
            finally:
                os.close(descriptor)
            self._known = _united([*self._known, *pieces])


def _united(spans: Sequence[Span]) -> list[Span]:
    """The same bytes as spans in order that do not touch."""
    found: list[Span] = []
    for begin, end in sorted(span for span in spans if span[0] < span[1]):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found


def _without(spans: Sequence[Span], known: Sequence[Span]) -> list[Span]:
    """The bytes of spans in order that are in none of others, which are in order too."""
    left = []
    for begin, end in spans:
        at = begin
        for known_begin, known_end in known:
            if known_end <= at or known_begin >= end:
                continue
            if known_begin > at:
                left.append((at, known_begin))
            at = known_end
        if at < end:
            left.append((at, end))
    return left


def _near_together(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for begin, end in spans:
        if found and begin - found[-1][1] <= _NEAR:
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return found
