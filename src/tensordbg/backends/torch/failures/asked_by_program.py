"""Tensors of whose shapes and types the program's own code asked where it raised."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

from tensordbg.recording.asked_where_raised import AskedTensor, asked_at, raised_by_itself


def asked_by_program(error: BaseException, is_own: Callable[[str], bool]) -> list[AskedTensor]:
    """Returns the tensors of which the innermost frame of an error asked; none where that is not the program's."""
    steps = list(traceback.walk_tb(error.__traceback__))
    if not steps or not is_own(steps[-1][0].f_code.co_filename) or not raised_by_itself(error):
        return []
    frame, line = steps[-1]
    return asked_at(frame.f_code.co_filename, line, [frame], _is_tensor)


def _is_tensor(value: Any) -> bool:
    from torch import Tensor

    return isinstance(value, Tensor)
