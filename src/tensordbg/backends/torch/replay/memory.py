"""The memories of a step that is run again: those from outside are filled, others are made by operations."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from tensordbg.backends.torch.captured.graph import At, Operation, Outside, StepGraph
from tensordbg.backends.torch.replay.precision import Precision
from tensordbg.backends.torch.trap.graph_files import dtype_of
from tensordbg.capture.tensors import Array
from tensordbg.errors import CaptureError


class Memories:
    """The memories that the operations of one run look at."""

    def __init__(self) -> None:
        """There is none yet."""
        self._bases: dict[int, Any] = {}
        self._outside: dict[int, _Filled] = {}
        self._views: dict[int, dict[At, Any]] = {}

    def fill(self, outside: Outside, at: At, elements: Array, device: str = "cpu") -> Any:
        """Makes a memory from outside, and returns the tensor that is looked at it by.

        Args:
            outside: The memory.
            at: How it is looked at first.
            elements: What it holds, in the order of its bytes, from the first that is kept.
            device: Where it lies.
        """
        import torch

        raw = torch.UntypedStorage(elements.nbytes)  # type: ignore[no-untyped-call]
        ctypes.memmove(raw.data_ptr(), elements.ctypes.data, elements.nbytes)
        if device != "cpu":
            raw = torch.empty(0, dtype=torch.uint8, device="cpu").set_(raw).to(device).untyped_storage()
        filled = _Filled(raw, torch_dtype(elements), outside.low // dtype_of(at.dtype).itemsize)
        base = self._bases[outside.memory] = filled.tensor(at)
        self._outside[outside.memory] = filled
        self._views[outside.memory] = {at: base}
        return base

    def bind(self, at: At, tensor: Any) -> Any:
        """A tensor that an operation has given, in the layout that it had in the capture."""
        if at.memory not in self._bases:
            self._bases[at.memory] = tensor = _in_layout(at, tensor)
        self._views.setdefault(at.memory, {})[at] = tensor
        return tensor

    def tensor(self, at: At, dtype: Any) -> Any:
        """The tensor that looks at a memory so.

        Raises:
            CaptureError: If nothing made it.
        """
        known = self._views.get(at.memory, {}).get(at)
        if known is not None:
            return known
        base = self._bases.get(at.memory)
        if base is None:
            raise CaptureError("an operation takes what no operation before it has made; take another capture")
        filled = self._outside.get(at.memory)
        start = filled.start if filled is not None else 0
        is_base = (base.numel(), base.storage_offset()) == (prod(at.sizes), at.offset - start)
        if filled is not None and filled.dtype == dtype and not is_base:
            # Each part of a batch is an input of its own.
            view = filled.tensor(at)
        else:
            if base.dtype != dtype:
                whole = base.untyped_storage().nbytes() // base.element_size()
                base = base.as_strided((whole,), (1,), 0).view(dtype)
            view = base.as_strided(at.sizes, at.strides, at.offset - start)
        self._views[at.memory][at] = view
        return view

    def forget(self, memory: int) -> None:
        """Lets go of a memory that is not used any more."""
        self._bases.pop(memory, None)
        self._outside.pop(memory, None)
        self._views.pop(memory, None)


def _in_layout(at: At, tensor: Any) -> Any:
    """A tensor whose elements lie as they did: what another device gives may have its axes in another order."""
    import torch

    pairs = zip(at.sizes, at.strides, tensor.stride(), strict=False)
    if tuple(tensor.shape) != at.sizes or all(one == other for size, one, other in pairs if size > 1):
        return tensor
    return torch.empty_strided(at.sizes, at.strides, dtype=tensor.dtype, device=tensor.device).copy_(tensor)


@dataclass(frozen=True)
class _Filled:
    """A memory from outside."""

    storage: Any
    dtype: Any
    start: int
    """Which element of the captured memory it begins with."""

    def tensor(self, at: At) -> Any:
        """A tensor of its own that looks at it; no operation makes it, so it counts as an input."""
        import torch

        empty = torch.empty(0, dtype=self.dtype, device=self.storage.device)
        return empty.set_(self.storage, at.offset - self.start, at.sizes, at.strides)


def contents(
    graph: StepGraph, raw: Mapping[str, Array], pieces: Mapping[tuple[bool, int], Array], precision: Precision
) -> Iterator[tuple[Outside, At, Array]]:
    """Gives what memories from outside hold before the step, and how each is looked at first.

    Args:
        graph: The step.
        raw: The bytes of those that no tensors fill.
        pieces: Inputs and variables, by whether it is a variable, and the number.
        precision: The one to compute in.

    Raises:
        CaptureError: If a tensor does not lie in its memory.
    """
    used = _uses(graph.operations)
    for each in graph.outside:
        ats = [piece.at for piece in each.pieces] + used.get(each.memory, [])
        ats += [target.at for target in graph.targets if target.at is not None and target.at.memory == each.memory]
        if not ats:
            continue
        narrow = numpy_dtype(ats[0].dtype)
        content = np.zeros(-(-each.size // 16) * 16 + 16, np.uint8)
        if each.raw:
            stored = raw.get(each.raw)
            if stored is None or stored.dtype != np.uint8 or stored.size != each.size:
                raise CaptureError(f"the capture lacks {each.raw}; take another")
            content[: each.size] = stored
        one_dtype = len({at.dtype for at in ats}) == 1
        flat = content.view(narrow)
        flat = precision.widen(flat) if one_dtype else flat
        for piece in each.pieces:
            array = pieces[piece.variable, piece.number]
            _looked_at(flat if one_dtype else content.view(numpy_dtype(piece.at.dtype)), each, piece.at)[...] = array
        yield each, ats[0], flat


def _looked_at(flat: Array, outside: Outside, at: At) -> Array:
    itemsize = dtype_of(at.dtype).itemsize
    start = at.offset - outside.low // itemsize
    last = start + sum((size - 1) * stride for size, stride in zip(at.sizes, at.strides, strict=True))
    if 0 in at.sizes:
        return np.empty(at.sizes, flat.dtype)
    if min((start, *at.sizes, *at.strides)) < 0 or last >= flat.size:
        raise CaptureError("a tensor of the capture does not lie in its memory; take another")
    return np.lib.stride_tricks.as_strided(flat[start:], at.sizes, [each * flat.itemsize for each in at.strides])


def _uses(operations: tuple[Operation, ...]) -> dict[int, list[At]]:
    found: dict[int, list[At]] = {}
    for operation in operations:
        for at in looks(operation):
            found.setdefault(at.memory, []).append(at)
    return found


def looks(operation: Operation) -> Iterator[At]:
    """Gives how an operation looks at memory: what it takes, and what it gives."""
    for argument in operation.arguments:
        for at in (argument.tensor, *(argument.tensors or ())):
            if at is not None:
                yield at
    yield from (at for at in operation.results if at is not None)


def numpy_dtype(number: int) -> np.dtype[Any]:
    """NumPy's form of one of PyTorch's dtypes.

    Raises:
        CaptureError: If it has none.
    """
    name = str(dtype_of(number)).removeprefix("torch.")
    if name in ("bfloat16", "float8_e5m2", "float8_e4m3fn"):
        import ml_dtypes

        narrow: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
        return narrow
    try:
        return np.dtype(name)
    except TypeError:
        raise CaptureError(
            f"a tensor of the capture has the dtype {number}, which is not known; take another"
        ) from None


def torch_dtype(array: Array) -> Any:
    """PyTorch's form of one of NumPy's dtypes."""
    import torch

    return getattr(torch, array.dtype.name)


def tensor_of(array: Array) -> Any:
    """A tensor of its own with an array's elements."""
    import torch

    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8).copy()
    return torch.from_numpy(flat).view(torch_dtype(array)).reshape(array.shape)
