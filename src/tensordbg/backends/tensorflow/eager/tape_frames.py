"""Finds in the running stack for which operation a tape computes a gradient; its frame holds what that one took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tensordbg.backends.tensorflow.internals import backprop
from tensordbg.recording.frame_values import values_in
from tensordbg.recording.usercode import UserCode


@dataclass(frozen=True)
class TapedOperation:
    """An eager operation as the tape kept it."""

    op_type: str
    outputs: Iterable[Any]
    """Those that its gradient needs; perhaps none."""
    inputs: Iterable[Any]
    """Likewise."""


def taped_operation(frame: FrameType | None, user_code: UserCode) -> TapedOperation | None:
    """The operation whose gradient is computed in a stack; None where none is, or the program computes it itself."""
    while frame is not None and frame.f_code is not backprop._gradient_function.__code__:  # noqa: SLF001
        if user_code.is_user(frame.f_code.co_filename):
            return None
        frame = frame.f_back
    if frame is None:
        return None
    held = values_in(frame)
    return TapedOperation(held["op_name"], held["outputs"] or (), held["inputs"] or ())
