"""Reads the variables of a frame that goes on to run, and leaves no trace of that in it.

Before Python 3.13 `f_locals` of a function's frame is a dictionary that the frame keeps: what the program deletes or
binds anew would live on in it until the function ends. So what was put into it for us is taken out again, unless the
program has that dictionary itself, as `locals()` gives it, or something traces it: then Python reads it back.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

_KEEPS_A_DICTIONARY = sys.version_info < (3, 13)
_OURS = 3
"""So often the dictionary is referred to where nobody else has it: by the frame, by our variable, by the question."""


def values_in(frame: FrameType) -> Mapping[str, Any]:
    """The values of a frame's variables by name, as they are now."""
    held = frame.f_locals
    if not _KEEPS_A_DICTIONARY or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return held
    values = dict(held)
    if sys.getrefcount(held) == _OURS and sys.gettrace() is None:
        code = frame.f_code
        for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
            held.pop(name, None)
    return values
