"""Tells a number that elements are set to, as in `scores[mask] = -inf`, from a tensor that the program makes of one.

PyTorch makes a tensor of both by the same operation. What differs is the instruction of the program's that runs.
"""

from __future__ import annotations

import opcode
import sys
from pathlib import Path

import tensordbg
from tensordbg.operations.lookup import INPUT, NUMBER

SET = "Set"
"""What the observer calls a tensor without axes when it comes in, which may be such a number."""

_SETTING = {opcode.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in opcode.opmap}
"""The second is there since Python 3.12."""
_OWN = str(Path(tensordbg.__file__ or "").parent)
AROUND = ("/torch/_dynamo/eval_frame.py", "/torch/_compile.py", "/torch/_dynamo/external_utils.py")
"""Files of PyTorch that run between the program and what we do in Python."""


def kind_of(op_type: str) -> str:
    """The type of a site by what the observer calls it: a number of the program's text, or what came in, of `SET`."""
    if op_type != SET:
        return op_type
    return NUMBER if _sets_elements() else INPUT


def _sets_elements() -> bool:
    """Whether the program's innermost frame in this thread sets elements of something."""
    frame = sys._getframe(1)  # noqa: SLF001  a public function of this implementation
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(_OWN) or frame.f_code.co_filename.endswith(AROUND)
    ):
        frame = frame.f_back
    code = frame.f_code.co_code  # as compiled, whatever the interpreter has specialised
    return 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] in _SETTING
