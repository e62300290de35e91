"""Operations over windows, as NumPy computes them in float64: convolutions and pooling, and batch normalization.

PyTorch has the channels behind the batch, and kernels with the channels that they put out first; TensorFlow has both
last. Which of the two is meant the settings tell: only PyTorch's convolutions have groups, and its pools a kernel size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.diff.padding import around
from tensordbg.operations.kinds import Kind

Array = npt.NDArray[Any]
Settings = Mapping[str, Any]
Computed = Array | None
"""None where it is not known how."""

_MOST_PRODUCTS = 200_000_000
"""A convolution that multiplies more often is not computed."""


def has_channels_last(kind: Kind, settings: Settings) -> bool | None:
    """Tells whether an operation over windows has the channels last; `None` of all other operations."""
    if kind is Kind.CONVOLUTION:
        return "groups" not in settings
    return "kernel_size" not in settings if kind in (Kind.MAX_POOL, Kind.AVERAGE_POOL) else None


def laid_out(given: Sequence[Array], *, last: bool) -> list[Array]:
    """Puts an input and its kernel from the other layout into that which has the channels last, or has not."""
    x, *rest = given
    if last:
        return [np.moveaxis(x, 1, -1), *(np.moveaxis(kernel, (0, 1), (-1, -2)) for kernel in rest[:1]), *rest[1:]]
    return [np.moveaxis(x, -1, 1), *(np.moveaxis(kernel, (-1, -2), (0, 1)) for kernel in rest[:1]), *rest[1:]]


def convolution(given: Sequence[Array], settings: Settings) -> Computed:
    """Computes a convolution of any number of axes of space; `None` for transposed ones."""
    x, kernel, *bias = given
    if settings.get("transposed") or x.ndim != kernel.ndim or x.ndim < 3 or len(bias) > 1:
        return None
    last = has_channels_last(Kind.CONVOLUTION, settings)
    x, kernel = laid_out((x, kernel), last=False) if last else (x, kernel)
    groups = settings.get("groups", x.shape[1] // kernel.shape[1])
    space = list(kernel.shape[2:])
    windows = _windows(x, space, settings, 0.0)
    if windows.size * (kernel.shape[0] // groups) > _MOST_PRODUCTS:
        return None
    of_window = list(range(-len(space), 0))
    parts = [
        np.tensordot(part, filters, axes=([1, *of_window], [1, *range(2, kernel.ndim)]))
        for part, filters in zip(np.split(windows, groups, axis=1), np.split(kernel, groups), strict=True)
    ]
    result = np.concatenate(parts, axis=-1) + (bias[0] if bias else 0.0)
    return result if last else np.moveaxis(result, -1, 1)


def max_pool(given: Sequence[Array], settings: Settings) -> Computed:
    """Computes the largest elements of windows."""
    return _pooled(given, settings, -np.inf)


def average_pool(given: Sequence[Array], settings: Settings) -> Computed:
    """Computes the means of windows; `None` where what is put around is not counted in one framework or the other."""
    padding = settings.get("padding")
    return _pooled(given, settings, 0.0) if padding in ("VALID", None) or not np.any(padding) else None


def _pooled(given: Sequence[Array], settings: Settings, outside: float) -> Computed:
    (x,) = given
    last = has_channels_last(Kind.MAX_POOL, settings)
    sizes = settings["ksize"][1:-1] if last else settings["kernel_size"]
    if settings.get("ceil_mode"):
        return None
    x = np.moveaxis(x, -1, 1) if last else x
    windows = _windows(x, sizes, settings, outside)
    axes = tuple(range(-len(sizes), 0))
    result = windows.mean(axis=axes) if outside == 0 else windows.max(axis=axes)
    return np.moveaxis(result, 1, -1) if last else np.asarray(result)


def _windows(x: Array, sizes: Sequence[int], settings: Settings, outside: float) -> Array:
    """The windows of an input whose channels are behind its batch: their elements are along the last axes."""
    axes = len(sizes)
    stride = settings.get("stride") or list(sizes)
    dilation = settings.get("dilation") or [1] * axes
    padding = around(settings.get("padding", [0] * axes), stride, dilation, (x.shape[2:], sizes))
    x = np.pad(x, [(0, 0), (0, 0), *map(tuple, padding)], constant_values=outside)  # type: ignore[call-overload]
    reach = [(size - 1) * step + 1 for size, step in zip(sizes, dilation, strict=True)]
    windows = np.lib.stride_tricks.sliding_window_view(x, reach, axis=tuple(range(2, 2 + axes)))
    every = (slice(None), slice(None), *(slice(None, None, step) for step in stride))
    return np.asarray(windows[(*every, *(slice(None, None, step) for step in dilation))])


def batch_norm(given: Sequence[Array], settings: Settings) -> Computed:
    """Computes a batch normalization; `None` where it can't be told which axis has the channels."""
    x, *rest = [each for each in given if each.size]
    count = rest[0].size if rest else 0
    places = [axis for axis in {1, x.ndim - 1} if x.shape[axis] == count]
    if len(places) != 1:
        return None
    shape = [count if axis == places[0] else 1 for axis in range(x.ndim)]
    if settings["training"]:
        others = tuple(axis for axis in range(x.ndim) if axis != places[0])
        mean, variance = x.mean(axis=others, keepdims=True), x.var(axis=others, keepdims=True)
    else:
        mean, variance = (each.reshape(shape) for each in rest[-2:])
    scale, offset = (each.reshape(shape) for each in rest[:2])
    return np.asarray((x - mean) / np.sqrt(variance + settings["epsilon"]) * scale + offset)
