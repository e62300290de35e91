"""Keys that tell one Python stack from another, and cost little."""

from __future__ import annotations

from types import FrameType

from tensordbg import _native

StackKey = bytes
"""Identities of the code objects and places in them, innermost first, of `FRAME_BYTES` each."""

FRAME_BYTES = 16

DEEPEST = 256
"""So many frames tell one stack from another, and are kept of one; else each operation of a deep recursion would cost
its depth. Of deeper ones the innermost count, and the first few, which say where the program is."""


def stack_key(frame: FrameType | None) -> StackKey:
    """A key that tells one Python stack from another; cheap, for every eager operation asks."""
    return _native.stack_key(frame, DEEPEST)


def names_are_utf8(frame: FrameType | None) -> bool:
    """Whether the names of all files in a stack are in UTF-8; else TensorFlow raises, and 2.16 ends the process."""
    while frame is not None:
        try:
            frame.f_code.co_filename.encode()
        except UnicodeEncodeError:
            return False
        frame = frame.f_back
    return True
