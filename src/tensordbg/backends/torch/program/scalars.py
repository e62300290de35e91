"""Single numbers that tensors hold, read from memory: an operation would be one that the program does not have."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from tensordbg.backends.torch.dispatching.tensors import is_readable

_NUMBERS: Mapping[torch.dtype, tuple[type[Any], type[Any]]] = MappingProxyType(
    {torch.float32: (ctypes.c_float, np.float32), torch.float64: (ctypes.c_double, np.float64)}
)
"""For each dtype how a number of it lies in memory, and what writes it with no more digits than it has."""


def number_in(value: object) -> float | None:
    """Gives the number that a tensor of one element holds; `None` of all else, and of one on another device."""
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        return None
    tensor: Any = value
    try:
        if tensor.dtype not in _NUMBERS or tensor.numel() != 1 or not is_readable(tensor):
            return None
        in_memory, as_written = _NUMBERS[tensor.dtype]
        return float(str(as_written(in_memory.from_address(tensor.data_ptr()).value)))
    except (RuntimeError, NotImplementedError):  # a wrapper without elements of its own
        return None


def with_numbers(held: Mapping[str, Any]) -> dict[str, Any]:
    """Puts the number in the place of each tensor that holds a single one."""
    numbers = ((name, number_in(value)) for name, value in held.items())
    return {**held, **{name: number for name, number in numbers if number is not None}}
