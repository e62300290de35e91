"""The health of an array in plain NumPy: what the compiled kernel is tested against, and what stands in for it.

Everything is computed in float64, clear rather than fast.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tensordbg.health.spec import FLOATS, measurable_name
from tensordbg.model import NONE, Health

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SMALLEST_NORMAL: dict[str, float] = {
    "float16": 2.0**-14,
    "bfloat16": 2.0**-126,
    "float32": 2.0**-126,
    "float64": 2.0**-1022,
    "float8_e4m3fn": 2.0**-6,
    "float8_e5m2": 2.0**-14,
    "complex64": 2.0**-126,
    "complex128": 2.0**-1022,
}
"""Of each floating-point dtype; of a complex one, that of its parts."""

_OVERFLOW_SCALE = 2.0**-64
"""No array that fits in memory has a sum beyond the range of float64 once its elements are multiplied by this."""


_SIGNS = 4
_MULTIPLIERS = np.uint32(0x9E3779B1), np.uint32(0x85EBCA6B)


def sketch(array: NDArray[Any]) -> NDArray[np.float64]:
    """Computes the sketch of real floating-point numbers, in row-major order.

    Returns:
        The sum of the magnitudes of the finite elements, and four sums of these with signs that are drawn by place.
    """
    values = np.ascontiguousarray(array).reshape(-1).astype(np.float64)
    values = np.where(np.isfinite(values), values, 0.0)
    return np.concatenate([[np.abs(values).sum()], place_signs(len(values)) @ values])


def place_signs(size: int) -> NDArray[np.float64]:
    """The signs of so many places, shape (4, size)."""
    place = np.arange(size, dtype=np.uint32) * _MULTIPLIERS[0]
    mixed = (place ^ (place >> np.uint32(16))) * _MULTIPLIERS[1]
    bits = mixed[None, :] >> np.arange(31, 31 - _SIGNS, -1, dtype=np.uint32)[:, None]
    return np.where(bits & 1, -1.0, 1.0)


def measure(array: NDArray[Any]) -> Health:
    """Measures an array.

    Args:
        array: Of any shape, strides, alignment and byte order, and of a dtype in `spec.MEASURABLE`.

    Returns:
        Its health. `sum` and `sum_squares` are infinite where they leave the range of float64. For complex numbers an
        element counts as subnormal where neither part is normal and they are not both zero.

    Raises:
        UsageError: The dtype has no health.
    """
    name = measurable_name(array.dtype)
    flat = np.ascontiguousarray(array).reshape(-1)
    with np.errstate(all="ignore"):
        if name not in FLOATS:
            return _measure_whole(flat)
        if name.startswith("complex"):
            return _measure_complex(flat, _SMALLEST_NORMAL[name])
        return _measure_real(flat.astype(np.float64), _SMALLEST_NORMAL[name])


def _measure_whole(array: NDArray[Any]) -> Health:
    """Of integers and booleans, shape (size,)."""
    values = array.astype(np.float64)
    return Health(
        size=array.size,
        negative=_count(array < 0),
        zero=_count(array == 0),
        min=float(array.min()) if array.size else math.nan,
        max=float(array.max()) if array.size else math.nan,
        sum=float(values.sum()),
        sum_squares=float(np.square(values).sum()),
    )


def _measure_real(values: NDArray[np.float64], smallest_normal: float) -> Health:
    """Of floats, shape (size,)."""
    is_finite = np.isfinite(values)
    finite = values[is_finite]
    return Health(
        size=values.size,
        negative=_count(finite < 0),
        zero=_count(finite == 0),
        neg_inf=_count(values == -np.inf),
        pos_inf=_count(values == np.inf),
        nan=_count(np.isnan(values)),
        subnormal=_count((finite != 0) & (np.abs(finite) < smallest_normal)),
        min=float(finite.min()) if finite.size else math.nan,
        max=float(finite.max()) if finite.size else math.nan,
        sum=_sum(finite),
        sum_squares=float(np.square(finite).sum()),
        first_bad=_first(~is_finite),
    )


def _measure_complex(array: NDArray[Any], smallest_normal: float) -> Health:
    """Of complex numbers, shape (size,)."""
    real = array.real.astype(np.float64)
    imaginary = array.imag.astype(np.float64)
    is_nan = np.isnan(real) | np.isnan(imaginary)
    is_finite = np.isfinite(real) & np.isfinite(imaginary)
    larger = np.maximum(np.abs(real), np.abs(imaginary))[is_finite]
    moduli = np.hypot(real, imaginary)[is_finite]
    return Health(
        size=array.size,
        zero=_count(larger == 0),
        pos_inf=_count(~is_finite & ~is_nan),
        nan=_count(is_nan),
        subnormal=_count((larger != 0) & (larger < smallest_normal)),
        min=float(moduli.min()) if moduli.size else math.nan,
        max=float(moduli.max()) if moduli.size else math.nan,
        sum=float(moduli.sum()),
        sum_squares=float(np.square(moduli).sum()),
        first_bad=_first(~is_finite),
    )


def _count(mask: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(mask))


def _first(mask: NDArray[np.bool_]) -> int:
    return int(mask.argmax()) if mask.any() else NONE


def _sum(finite: NDArray[np.float64]) -> float:
    """Sum that overflows only where the whole is too large, not where its parts cancel."""
    total = float(finite.sum())
    if math.isfinite(total):
        return total
    return float((finite * _OVERFLOW_SCALE).sum()) / _OVERFLOW_SCALE
