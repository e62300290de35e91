"""Says of eager tensors of which no event tells, such as `tf.constant([1.0, 2.0])`, what they hold and their names.

TensorFlow makes them of Python's numbers without any operation. Where its Python code refused one, Python still has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensordbg.model import NONE, StatedInput, StatedTensor
from tensordbg.trace.raw.small_elements import elements_text

_MOST_ELEMENTS = 16
_ARGUMENT = "Placeholder"


def stated_input(stated: StatedTensor, value: Any, name_of: Callable[[Any], str]) -> StatedInput:
    """An input as the error is told with it: by the name that the failing lines have for it, with its elements."""
    if stated.op_type == _ARGUMENT:  # TensorFlow calls the state of a loop `while/Placeholder_1`
        name = name_of(value)
        is_plain = not name or name == stated.tensor.partition(":")[0]
        return StatedInput(stated.tensor if is_plain else name, stated.dtype, stated.shape)
    if stated.tensor == type(value).__name__:  # a ragged or sparse tensor
        return StatedInput(name_of(value) or stated.tensor, stated.dtype, stated.shape)
    if stated.execution != NONE or not hasattr(value, "_datatype_enum"):
        return StatedInput(stated.tensor, stated.dtype, stated.shape)
    return StatedInput(name_of(value) or stated.tensor, stated.dtype, stated.shape, _elements(value))


def _elements(value: Any) -> str:
    """Those of a small tensor in the memory of the CPU."""
    if "CPU" not in value.device or value.dtype.size == 0 or (value.shape.num_elements() or 0) > _MOST_ELEMENTS:
        return ""
    return elements_text(np.asarray(value.numpy()))
