"""Tells from the code of the functions that run whether they go on to choose among elements, as `where` does.

That decides only whether a bad number raises at once or where it is taken, so names are enough.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType, FrameType

_NAMES = frozenset(
    {"boolean_mask", "masked_fill", "masked_fill_", "masked_select", "multiply_no_nan", "nan_to_num", "nan_to_num_",
     "select", "switch", "where", "where_v2"}
)  # fmt: skip
"""Functions that choose, of TensorFlow, Keras and PyTorch."""


def callers(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame and those that it was called from."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def goes_on_to_choose(frame: FrameType) -> bool:
    """Whether the code of a frame calls a function that chooses behind the place that it is at, or in a loop there."""
    last = last_choice(frame.f_code)
    return frame.f_lasti <= last or frame.f_lasti <= _last_repetition(frame.f_code, last)


@functools.lru_cache(maxsize=1024)
def last_choice(code: CodeType) -> int:
    """The offset of the last call of such a function, or of the last choice by a mask; -1 where there is none."""
    instructions = list(dis.get_instructions(code))
    masked = max((each.offset for before, each in pairwise(instructions) if _takes_by_mask(before, each)), default=-1)
    if _NAMES.isdisjoint(code.co_names):
        return masked
    begun = {_begin(each) for each in instructions if each.opname.startswith("LOAD") and each.argval in _NAMES}
    calls = [each.offset for each in instructions if each.opname.startswith("CALL") and _begin(each) in begun]
    return max(masked, max(calls, default=instructions[-1].offset))


@functools.lru_cache(maxsize=1024)
def _last_repetition(code: CodeType, choice: int) -> int:
    """The offset of the last jump back that has a choice run again, -1 where there is none."""
    if choice < 0:
        return -1
    jumps = ((each.offset, each.argval) for each in dis.get_instructions(code) if "JUMP" in each.opname)
    return max((offset for offset, goal in jumps if isinstance(goal, int) and goal <= choice < offset), default=-1)


def _takes_by_mask(before: dis.Instruction, instruction: dis.Instruction) -> bool:
    """Whether it takes elements by what is made in the brackets of truth values, as `x[x > 0]` and `x[~hidden]`."""
    makes = before.opname in ("COMPARE_OP", "UNARY_INVERT") or (
        before.opname == "BINARY_OP" and before.argrepr in "&|^"
    )
    return makes and (
        instruction.opname == "BINARY_SUBSCR" or (instruction.opname == "BINARY_OP" and instruction.argrepr == "[]")
    )


def _begin(instruction: dis.Instruction) -> object:
    """Where the text begins that an instruction is made of: of a call that of what is called. Since Python 3.11."""
    positions = getattr(instruction, "positions", None)
    return None if positions is None else (positions.lineno, positions.col_offset)
