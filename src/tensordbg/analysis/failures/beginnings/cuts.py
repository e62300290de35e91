"""Where a loss was cut from all that is trained: an operation that makes whole numbers or booleans of what has a slope.

`backward` says only that its tensor has no gradient, however far back the `argmax` or the comparison lies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tensordbg.analysis.failures.beginnings.made import Made, Past, walk_back
from tensordbg.analysis.failures.beginnings.shapes import Emergence

_NO_GRADIENT = re.compile(r"does not require grad and does not have a grad_fn|No gradients provided for any variable")
CUTS = re.compile(r"\.detach_?\(\)|\.data\b|\.item\(\)|\.numpy\(|\bstop_gradient\(")
"""The text of a line that cuts a tensor off from what it was computed from."""
DETACHED = re.compile(r"\.detach_?\(\)|\bstop_gradient\(")
"""The text of a line that does so explicitly, and by intent."""
TAKEN_OUT = re.compile(r"\.data\b(?!\[)")
"""The text of a line that takes a tensor's numbers, which is seldom meant to cut anything off."""
COPIED = re.compile(r"\.data\b|\.tensor\(")
"""The text of a line in which numbers may leave a tensor without a word: only where no gradient comes to it."""
_WITH_SLOPE = ("float", "bfloat", "complex")


def is_of_lost_gradient(message: str) -> bool:
    """Whether an error says that a loss has no gradient."""
    return _NO_GRADIENT.search(message) is not None


def cut(past: Past, message: str, given: Sequence[Made | None]) -> Emergence | None:
    """The last operation on the way to a loss that no gradient goes through; None where it can't be told."""
    if not is_of_lost_gradient(message):
        return None
    for made, inputs in walk_back(past, [made for made in given if made is not None]):
        sloped = tuple(each for each in inputs if has_slope(each) and not each.plain)
        if sloped and not has_slope(made):
            return Emergence(made, sloped)
    return None


def has_slope(made: Made) -> bool:
    """Whether a gradient may go through a tensor of that type."""
    return made.dtype.startswith(_WITH_SLOPE)
