"""Frames of the program's own in the traceback that the runtime tells of a Python function that a graph calls.

KeyError: 2
Traceback (most recent call last):

  File "/.../tensorflow/python/ops/script_ops.py", line 267, in __call__
    return func(device, token, args)
  File "/project/train.py", line 3, in load
    return table[key]
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from tensordbg.packages import is_among_packages

_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
_BEGINS = "Traceback (most recent call last):"
_FRAME = re.compile(r'\s*File "(?P<file>[^"]+)", line \d+, in ')


def with_own_frames(message: str) -> str:
    """The message without the frames of installed packages, and without what is said twice."""
    head, found, trace = message.partition(_BEGINS)
    if not found:
        return message
    lines = list(_own(trace.splitlines()))
    return "\n".join([head.rstrip(), _BEGINS, *lines]) if lines else head.rstrip()


def _own(lines: list[str]) -> Iterator[str]:
    """The lines of the frames of the program's own; a frame ends where the next begins, or what is not indented."""
    within = False
    for line in lines:
        frame = _FRAME.match(line)
        if frame is not None:
            within = not is_among_packages(frame["file"]) and _LIBRARY not in Path(frame["file"]).parents
        elif line.strip() and not line.startswith(" "):
            within = False
        if within and line.strip() and not set(line.strip()) <= {"^", "~"}:
            yield line.rstrip()
