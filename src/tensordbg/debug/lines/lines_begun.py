"""Lines of a function at which the program has stopped and which have not come to their end.

A line such as `if n % 2 == 0: n //= 2` goes on in a branch, a graph of its own: it is still the same line.
"""

from __future__ import annotations

from threading import Lock

from tensordbg.model import Frame
from tensordbg.recording.lines import GraphLine


class LinesBegun:
    """Keeps them, whatever thread runs them."""

    def __init__(self) -> None:
        """None has begun."""
        self._begun: dict[tuple[object, ...], tuple[GraphLine, Frame]] = {}
        self._lock = Lock()

    def begin(self, line: GraphLine, frame: Frame | None) -> None:
        """The program stops before a line, which is that of a frame."""
        if frame is not None and not line.is_behind:
            with self._lock:
                self._begun[line.run] = (line, frame)

    def end(self, line: GraphLine) -> None:
        """A line is behind."""
        if line.is_behind:
            with self._lock:
                self._begun.pop(line.run, None)

    def clear(self) -> None:
        """A run begins: what had not ended has failed."""
        with self._lock:
            self._begun.clear()

    def goes_on(self, line: GraphLine, frame: Frame | None) -> bool:
        """Whether a line is one that has begun, and goes on in a branch of it, in no further iteration."""
        with self._lock:
            return any(
                known == frame and line.moment == begun.moment and _is_in(line.path, begun.path)
                for begun, known in self._begun.values()
            )


def _is_in(path: str, outer: str) -> bool:
    return path != outer and (not outer or path.startswith(f"{outer}/"))
