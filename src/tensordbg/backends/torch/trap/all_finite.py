"""Asks whether the loss and the gradients of a step are finite, on a GPU with one wait for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from tensordbg import _native
from tensordbg.health.spec import DTYPE_NUMBERS

_QUICKLY = {"torch.float16": "float16", "torch.float32": "float32", "torch.float64": "float64"}


def all_finite(tensors: Iterable[Any]) -> bool:
    """Whether no element of these tensors of PyTorch is infinite or NaN."""
    elsewhere: defaultdict[Any, list[Any]] = defaultdict(list)
    for tensor in tensors:
        if not tensor.is_cpu and tensor.layout is _strided() and tensor.is_floating_point():
            elsewhere[tensor.device, tensor.dtype].append(tensor.detach())
        elif not _is_finite(tensor):
            return False
    return all(_all_there(each) for each in elsewhere.values())


def _all_there(tensors: Sequence[Any]) -> bool:
    """The same of tensors of one device and dtype: the largest magnitude is infinite or NaN where an element is."""
    import torch

    filled = [each for each in tensors if each.numel() > 0]
    if not filled:
        return True
    largest = torch._foreach_norm(filled, float("inf"))  # noqa: SLF001  as clip_grad_norm_ does
    return bool(torch.stack(list(largest)).isfinite().all())


def _is_finite(tensor: Any) -> bool:
    name = _QUICKLY.get(str(tensor.dtype))
    if name is not None and tensor.is_cpu and tensor.layout is _strided() and tensor.is_contiguous():
        return _native.all_finite(tensor.detach().numpy(), DTYPE_NUMBERS[name])
    values = tensor.detach()
    return bool((values.coalesce().values() if values.is_sparse else values).isfinite().all())


def _strided() -> Any:
    import torch

    return torch.strided
