"""Asks of PyTorch's tensors which can be read at all, and how they lie in memory."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import torch

from tensordbg.backends.torch.dispatching.table import Event, LogTable, integers
from tensordbg.health.spec import DTYPE_NUMBERS

WHOLE = -1
"""In place of a place in a list: it is in none."""

KEPT = WHOLE - 1
"""Likewise, and what lies below: it is written beside what is returned."""

_NUMBERS = {
    getattr(torch, name): number
    for name, number in DTYPE_NUMBERS.items()
    if isinstance(getattr(torch, name, None), torch.dtype)
}
_NOTHING = ctypes.create_string_buffer(1)
_storage_of = torch._C.TensorBase.untyped_storage  # noqa: SLF001  not what the program calls, which `reads.py` watches
_plain: dict[type, bool] = {}


def has_elements(tensor: Any) -> bool:
    """Whether it has elements of its own: those that wrap others have none, meta tensors are shapes only."""
    kind = type(tensor)
    plain = _plain.get(kind)
    if plain is None:
        of_kind = getattr(kind, "__torch_dispatch__", None)
        plain = _plain[kind] = of_kind is torch._C._disabled_torch_dispatch_impl  # noqa: SLF001  what plain ones have
    return plain and not tensor.is_meta


def storage_of(tensor: Any) -> Any:
    """The memory of a tensor."""
    return _storage_of(tensor)


def memory_of(tensor: Any) -> int:
    """The address that tells one memory from another; 0 where a tensor has none of its own."""
    try:
        return int(storage_of(tensor)._cdata)  # noqa: SLF001  the storage's address
    except (RuntimeError, NotImplementedError):
        return 0


def address_of(tensor: Any) -> int:
    """The address of its first element; 0 where it has none of its own."""
    try:
        return 0 if tensor.is_meta else int(storage_of(tensor).data_ptr() + tensor.storage_offset() * tensor.itemsize)
    except (RuntimeError, NotImplementedError):
        return 0


def fills_memory(tensor: Any) -> bool:
    """Whether a tensor is all of its memory."""
    return bool(storage_of(tensor).nbytes() == tensor.numel() * tensor.element_size())


def is_readable(tensor: Any) -> bool:
    """Whether the elements can be read as they lie in memory."""
    return bool(
        tensor.is_cpu
        and tensor.layout is torch.strided
        and not (tensor.is_conj() or tensor.is_neg() or tensor.is_nested or tensor.is_quantized)
        and not tensor._is_zerotensor()  # noqa: SLF001  it has no public name
        and (tensor.numel() == 0 or tensor.data_ptr())
    )


def append(log: LogTable, tensor: Any, made: tuple[int, int, int]) -> bool:
    """Records a tensor made by (execution, site, slot), and returns whether it is known not to be finite."""
    event: Any = Event()
    event.execution, event.site, event.slot = made
    event.device = log.device(str(tensor.device))
    if not tensor.is_nested:  # its rows differ in length
        event.dtype = 0 if tensor.is_quantized else _NUMBERS.get(tensor.dtype, 0)
        event.rank, event.dims = tensor.dim(), integers(tensor.shape)
        if is_readable(tensor):
            event.data = tensor.data_ptr() or ctypes.addressof(_NOTHING)
            if not tensor.is_contiguous():
                event.strides = integers(tensor.stride())
    return log.append(event)


def append_number(log: LogTable, number: float, execution: int, site: int) -> bool:
    """Records a number of the program's text."""
    held = ctypes.c_double(number)
    event: Any = Event()
    event.execution, event.site, event.device = execution, site, log.device("cpu")
    event.dtype, event.data = _NUMBERS[torch.float64], ctypes.addressof(held)
    return log.append(event)


def tensors_in(value: Any) -> Iterator[tuple[Any, int]]:
    """The tensors in a value that an operation takes or gives, each with its place in the list, `WHOLE` in none."""
    if isinstance(value, torch.Tensor):
        yield value, WHOLE
    elif isinstance(value, (list, tuple)):
        for place, each in enumerate(value):
            if isinstance(each, torch.Tensor):
                yield each, place
