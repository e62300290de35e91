"""At which line of the program an instruction of a code object stands, in every version of Python alike."""

from __future__ import annotations

import functools
from types import CodeType


@functools.lru_cache(maxsize=1024)
def lines_of(code: CodeType) -> dict[int, int]:
    """The line of each instruction that has one, by its number."""
    found = {}
    for begin, end, line in code.co_lines():
        if line is not None:
            found.update(dict.fromkeys(range(begin // 2, end // 2), line))
    return found


def line_at(code: CodeType, place: int) -> int:
    """The line of the instruction at `f_lasti`; the first of the code where it has none."""
    return lines_of(code).get(place // 2, code.co_firstlineno)
