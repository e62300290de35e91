"""The ways by which a program gets at the elements of a tensor without any operation: `numpy()`, printing and such.

They are methods of a class that is written in C; while something is recorded, the class derived from it in Python has
methods of the same names that tell of the tensor first. How a tensor is printed is a function of PyTorch's own module.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

_READERS = ("numpy", "tolist", "untyped_storage")


def watch_reads(told: Callable[[Any], None]) -> contextlib.ExitStack:
    """Has `told` called with each tensor that is read; closing what is returned ends that."""
    import torch
    from torch import _tensor_str

    undo = contextlib.ExitStack()
    for name in _READERS:
        if name not in vars(torch.Tensor):
            setattr(torch.Tensor, name, _telling(getattr(torch._C.TensorBase, name), told))  # noqa: SLF001
            undo.callback(delattr, torch.Tensor, name)
    plain = _tensor_str._str  # noqa: SLF001  what `repr` calls; with modes switched off
    _tensor_str._str = _telling(plain, told)  # noqa: SLF001
    undo.callback(setattr, _tensor_str, "_str", plain)
    return undo


def _telling(plain: Callable[..., Any], told: Callable[[Any], None]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def reading(tensor: Any, *arguments: Any, **named: Any) -> Any:
        told(tensor)
        return plain(tensor, *arguments, **named)

    return reading
