"""The health of an array by the compiled kernel. Importing this fails where tensordbg was not compiled."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from tensordbg import _native
from tensordbg.health.spec import DTYPE_NUMBERS, measurable_name
from tensordbg.model import Health

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["kernel_name", "kernels", "measure", "measure_by"]


def kernel_name() -> str:
    """The instruction set of the kernel that `measure` uses: `avx512`, `avx2`, `neon` or `portable`."""
    return _native.kernel_name()


def kernels() -> list[str]:
    """All kernels that this processor can run, best first."""
    return _native.kernels()


def measure(array: NDArray[Any]) -> Health:
    """Measures an array, as `reference.measure` does, by the best kernel for this processor.

    Args:
        array: Of any shape, strides, alignment and byte order, and of a dtype in `spec.MEASURABLE`. One that is not
            contiguous, or not of this machine's byte order, is copied.

    Raises:
        UsageError: The dtype has no health.
    """
    return measure_by(None, array)


def measure_by(kernel: str | None, array: NDArray[Any]) -> Health:
    """As `measure`, by one of `kernels()`; None stands for the best.

    Raises:
        UsageError: The dtype has no health.
        ValueError: This processor has no such kernel.
    """
    number, dtype = _plan(array.dtype)
    # Any: NumPy says only from Python 3.12 on that its arrays are buffers.
    buffer: Any = np.ascontiguousarray(array, dtype)
    if dtype.isbuiltin != 1:
        # NumPy exports no buffer of a dtype that is not its own.
        buffer = buffer.view(np.uint8)
    counts = _native.measure(buffer, number, array.size, kernel)
    negative, zero, neg_inf, pos_inf, nan, subnormal, first_bad, lowest, highest, total, squares = counts
    return Health(
        size=array.size,
        negative=negative,
        zero=zero,
        neg_inf=neg_inf,
        pos_inf=pos_inf,
        nan=nan,
        subnormal=subnormal,
        min=lowest,
        max=highest,
        sum=total,
        sum_squares=squares,
        first_bad=first_bad,
    )


@functools.lru_cache(maxsize=64)
def _plan(dtype: np.dtype[Any]) -> tuple[int, np.dtype[Any]]:
    """The number of a dtype in a trace, and the same dtype in this machine's byte order."""
    return DTYPE_NUMBERS[measurable_name(dtype)], dtype if dtype.isnative else dtype.newbyteorder("=")
