"""Ragged and sparse tensors as text, written as TensorFlow prints them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def ragged_text(elements: Array, splits: Sequence[Array]) -> str:
    """`<tf.RaggedTensor [[1, 2], [3]]>`; empty where elements and row splits, outermost first, don't fit together."""
    rows: Array = elements
    for each in reversed(splits):
        if each.ndim != 1 or not len(each) or each[0] != 0 or (np.diff(each) < 0).any() or each[-1] != len(rows):
            return ""
        rows = _rows(rows, each.tolist())
    with np.printoptions(formatter={"all": _formatted}):
        return f"<tf.RaggedTensor {_formatted(rows)}>"


def sparse_text(elements: Array, indices: Array, shape: Array) -> str:
    """`SparseTensor(indices=tf.Tensor(...), values=tf.Tensor(...), dense_shape=tf.Tensor(...))`; empty likewise."""
    if indices.ndim != 2 or indices.shape != (len(elements), len(shape)):
        return ""
    parts = {"indices": indices, "values": elements, "dense_shape": shape}
    return f"SparseTensor({', '.join(f'{name}={_tensor(part)}' for name, part in parts.items())})"


def _rows(elements: Array, splits: list[int]) -> Array:
    """The rows, each an array; they are one array where all are of one length, as TensorFlow has it."""
    parts = [elements[begin:end] for begin, end in itertools.pairwise(splits)]
    if parts and len({len(part) for part in parts}) == 1:
        return np.stack(parts)
    rows = np.empty(len(parts), dtype=object)
    for place, part in enumerate(parts):
        rows[place] = part
    return rows


def _formatted(element: Any) -> str:
    if not isinstance(element, np.ndarray):
        return str(element)
    return np.array2string(element, separator=", ") if element.size else repr(element.tolist())


def _tensor(array: Array) -> str:
    text = str(array)
    dtype = "string" if array.dtype == object else array.dtype.name
    return f"tf.Tensor({chr(10) if chr(10) in text else ''}{text}, shape={array.shape}, dtype={dtype})"
