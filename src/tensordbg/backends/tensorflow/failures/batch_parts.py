"""The lines from which the parts of batches came that a generator of the program yields, or its `__getitem__` gives.

Nothing of the program runs for it: a generator waits at a `yield`, and of `__getitem__` the text is read. Which batch
it was that failed isn't known there, so nothing but the lines is told.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import CodeType, GeneratorType
from typing import Any

from tensordbg.model import StatedTensor
from tensordbg.operations.lookup import INPUT
from tensordbg.packages import is_among_packages
from tensordbg.recording.assigned_lines import Scope
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.handed_out import lines_handed_out

_LONGEST_TEXT = 2_000_000


def parts_of_batches(value: Any, catalog: Catalog) -> list[StatedTensor]:
    """A tensor for each part of a batch, with its line and no more; none where `value` gives no batches one by one."""
    code, line = _handing_out(value)
    if code is None or is_among_packages(code.co_filename):
        return []
    lines: list[int] = []
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = Path(code.co_filename).read_text(encoding="utf-8")
        if len(text) <= _LONGEST_TEXT:
            lines = lines_handed_out(text, Scope(code.co_name, code.co_firstlineno), line)
    with catalog.lock:
        stacks = [catalog.stack(((code.co_filename, each, code.co_name),)) for each in lines]
    return [StatedTensor("batch", INPUT, "", None, stack) for stack in stacks]


def _handing_out(value: Any) -> tuple[CodeType | None, int | None]:
    """The code that gives batches, and the line at which a generator waits."""
    if isinstance(value, GeneratorType):
        frame = value.gi_frame
        return (None, None) if frame is None else (frame.f_code, frame.f_lineno)
    if hasattr(type(value), "__array__") or isinstance(value, (list, tuple, dict)):
        return None, None
    return getattr(getattr(type(value), "__getitem__", None), "__code__", None), None
