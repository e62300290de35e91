"""Measures the health of a tensor: counts of the unhealthy elements, extremes and sums.

`measure` uses the compiled kernel where tensordbg was compiled and plain NumPy otherwise; both give the same health.
"""

from __future__ import annotations

try:
    from tensordbg.health.native import kernel_name, measure
except ImportError:
    from tensordbg.health.reference import measure

    def kernel_name() -> str:
        """Names what `measure` uses: the kernel's instruction set, or `numpy` where tensordbg was not compiled."""
        return "numpy"


__all__ = ["kernel_name", "measure"]
