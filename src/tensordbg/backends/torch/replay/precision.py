"""Has a captured step computed in a wider floating-point type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tensordbg.capture.tensors import Array

_HALF, _FLOAT, _DOUBLE, _COMPLEX64, _COMPLEX128, _BFLOAT16 = 5, 6, 7, 9, 10, 15
WIDER: Mapping[str, Mapping[int, int]] = {
    "float32": {_HALF: _FLOAT, _BFLOAT16: _FLOAT},
    "float64": {_HALF: _DOUBLE, _BFLOAT16: _DOUBLE, _FLOAT: _DOUBLE, _COMPLEX64: _COMPLEX128},
}
"""What becomes of each of PyTorch's dtypes, by the dtype that is asked for."""

_ARRAYS: Mapping[str, Mapping[str, Any]] = {
    "float32": {"float16": np.float32, "bfloat16": np.float32},
    "float64": {"float16": np.float64, "bfloat16": np.float64, "float32": np.float64, "complex64": np.complex128},
}


class Precision:
    """Widens what a step computes with."""

    def __init__(self, wanted: str) -> None:
        """`wanted` is one of `WIDER`, or empty for no change."""
        self._wider = WIDER.get(wanted, {})
        self._arrays: Mapping[str, Any] = _ARRAYS.get(wanted, {})
        self.wanted = wanted
        self.kept: list[str] = []
        """Operations that stay as they were."""

    def __bool__(self) -> bool:
        return bool(self._wider)

    def number(self, dtype: int) -> int:
        """The number of the dtype that takes the place of another."""
        return self._wider.get(dtype, dtype)

    def widen(self, array: Array) -> Array:
        """An array in the type that takes the place of its own."""
        wide = self._arrays.get(array.dtype.name)
        with np.errstate(all="ignore"):
            return array if wide is None else array.astype(wide)
