"""Tells of what a step takes that no capture holds, such as a queue, with the line that uses it."""

from __future__ import annotations

import re

from tensordbg.backends.tensorflow import dtypes
from tensordbg.capture.reader import Capture
from tensordbg.errors import CaptureError
from tensordbg.model import Frame
from tensordbg.trace.program.rows import site_from_row, source_from_row, stack_from_row

_KINDS = {
    dtypes.STRING: "a tensor of strings",
    dtypes.VARIANT: "a dataset or a list",
    dtypes.RESOURCE: "a queue, a lookup table that can't be read or another resource that is no variable",
}


def not_captured(capture: Capture, argument: str, kind: int) -> CaptureError:
    """The error that says so.

    Args:
        capture: Of the step.
        argument: Name of the argument in the step's function.
        kind: Number of its type.
    """
    what = _KINDS.get(kind, "a tensor")
    line = _line_of(capture, argument) if kind == dtypes.RESOURCE else ""
    # TensorFlow names what a function takes besides its arguments after the operation that uses it.
    told = f"the step takes {what}, in {line}" if line else f"the step takes {argument}, {what}"
    return CaptureError(f"{told}, which is not captured; capture a function that is called in it, or behind it")


def _line_of(capture: Capture, argument: str) -> str:
    """The innermost line of the program's own that uses what an argument stands for; empty where it is not known."""
    try:
        sites = [site_from_row(row) for row in capture.rows("sites")]
        stack = next(each.stack for each in sites if each.argument >= 0 and _in_signature(each.name) == argument)
        frames = next(frames for number, frames in map(stack_from_row, capture.rows("stacks")) if number == stack)
        frame = next(each for each in reversed(frames) if each.user)
        texts = {each.file: each.text for each in map(source_from_row, capture.rows("sources"))}
    except (KeyError, TypeError, ValueError, StopIteration):
        return ""
    return f"{_text(frame, texts.get(frame.file, ''))} ({frame.file}:{frame.line})"


def _in_signature(name: str) -> str:
    """The name that an argument has in the signature of a function: letters, digits and underscores."""
    return re.sub(r"\W", "_", name).lower()


def _text(frame: Frame, source: str) -> str:
    lines = source.splitlines()
    return f"`{lines[frame.line - 1].strip()}`" if 0 < frame.line <= len(lines) else f"{frame.function}()"
