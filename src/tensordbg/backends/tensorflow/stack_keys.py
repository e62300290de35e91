"""Keys that tell one Python stack from another, and cost little."""

from __future__ import annotations

from types import FrameType

StackKey = tuple[int, ...]
"""Identities of the code objects and places in them, innermost first."""

DEEPEST = 256
"""So many frames tell one stack from another, and are kept of one; else each operation of a deep recursion would cost
its depth. Of deeper ones the innermost count, and the first few, which say where the program is."""


def stack_key(frame: FrameType | None) -> StackKey:
    """A key that tells one Python stack from another; cheap, for every eager operation asks."""
    key: list[int] = []
    while frame is not None and len(key) < 2 * DEEPEST:
        key.append(id(frame.f_code))
        key.append(frame.f_lasti)
        frame = frame.f_back
    return tuple(key)
