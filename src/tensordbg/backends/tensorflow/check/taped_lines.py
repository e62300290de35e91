"""Notes at which lines of the program eager operations ran that a tape watches, so that a gradient can name them.

A tape keeps the tensors that a gradient needs, and nothing of where they were made. So the tensors bear it: what an
operation put out, and the first that it took, as the gradient of some needs the one, of some the other.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

from tensordbg.backends.tensorflow.eager.tape_frames import TapedOperation, taped_operation
from tensordbg.backends.tensorflow.eager.tensors import flat
from tensordbg.backends.tensorflow.internals import pywrap_tfe
from tensordbg.checking.finding import Culprit
from tensordbg.model import Frame
from tensordbg.recording.code_lines import line_at
from tensordbg.recording.usercode import UserCode

_MADE = "_tensordbg_made_at"
_TAKEN = "_tensordbg_taken_at"

Line = tuple[CodeType, int]
"""A code object of the program, and a place in it."""


class TapedLines:
    """The lines."""

    def __init__(self, user_code: UserCode) -> None:
        self._user_code = user_code
        self._by_type: dict[str, dict[tuple[int, int], Line]] = {}

    def note(self, op_type: str, args: Sequence[Any], result: Any) -> None:
        """An operation has run; nothing is noted where no tape is there."""
        if pywrap_tfe.TFE_Py_TapeSetIsEmpty():
            return
        line = self._line(sys._getframe(1))  # noqa: SLF001
        if line is None:
            return
        key = (id(line[0]), line[1])  # to hash a code object takes long
        lines = self._by_type.setdefault(op_type, {})
        if key not in lines:
            lines[key] = line
        for tensor in result if isinstance(result, (list, tuple)) else (result,):
            if hasattr(tensor, "_datatype_enum"):
                setattr(tensor, _MADE, (op_type, line))
        taken = args[0] if args else None
        if hasattr(taken, "_datatype_enum"):
            known = getattr(taken, _TAKEN, None)
            if known is None:
                setattr(taken, _TAKEN, {op_type: line})
            else:
                known[op_type] = line

    def forget(self) -> None:
        """Forgets what is kept apart from tensors."""
        self._by_type.clear()

    def forward(self) -> Culprit | None:
        """Where the operation ran whose gradient the running code computes; None where it computes none."""
        operation = taped_operation(sys._getframe(1), self._user_code)  # noqa: SLF001
        line = None if operation is None else self._noted(operation)
        if operation is None or line is None:
            return None
        return Culprit(operation.op_type, operation.op_type, (_frame_of(line),))

    def _noted(self, operation: TapedOperation) -> Line | None:
        op_type = operation.op_type
        for tensor in flat(operation.outputs):
            made = getattr(tensor, _MADE, None)
            if made is not None and made[0] == op_type:
                return made[1]  # type: ignore[no-any-return]
        for tensor in flat(operation.inputs):
            taken = getattr(tensor, _TAKEN, {})
            if op_type in taken:
                return taken[op_type]  # type: ignore[no-any-return]
        known = list(self._by_type.get(op_type, {}).values())
        return known[0] if len(known) == 1 else None

    def _line(self, frame: FrameType | None) -> Line | None:
        is_user = self._user_code.is_user
        while frame is not None:
            if is_user(frame.f_code.co_filename):
                return frame.f_code, frame.f_lasti
            frame = frame.f_back
        return None


def _frame_of(line: Line) -> Frame:
    code, place = line
    return Frame(code.co_filename, line_at(code, place), code.co_name, True)
