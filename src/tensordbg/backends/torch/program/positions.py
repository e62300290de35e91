"""Where within its lines the program stands, so that two operations of one kind on one line are told apart.

Of `x = x - (x * x - 2) / slope` both subtractions have one stack, but only the second makes `x`. Columns tell more than
the place in the bytecode: Python compiles the condition of a `while` twice, in one place of the text.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import CodeType, FrameType

Position = tuple[int | None, int | None, int | None, int | None]
_DEEPEST = 128


def positions(is_user: Callable[[str], bool]) -> tuple[Position, ...]:
    """Columns and lines of what each frame of the program runs, the innermost first; nothing on Python 3.10.

    Args:
        is_user: Whether a file is one of the program's own.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  there is no other way to a frame's place in its line
    found: list[Position] = []
    while frame is not None and len(found) < _DEEPEST:
        code = frame.f_code
        if is_user(code.co_filename):
            found += _position(code, frame.f_lasti)
        frame = frame.f_back
    return tuple(found)


@lru_cache(maxsize=4096)
def _position(code: CodeType, instruction: int) -> tuple[Position, ...]:
    """Lines and columns of an instruction, in bytes, of a function."""
    told: Iterable[Position] = getattr(code, "co_positions", tuple)()  # from Python 3.11 on
    return tuple(itertools.islice(told, instruction // 2, instruction // 2 + 1))
