"""What it costs to measure a tensor's health, on one core, next to copying the same array with NumPy.

Run it on a quiet machine: `python benchmarks/health.py`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tensordbg.health import native
from tensordbg.health.spec import DTYPES, MEASURABLE

LARGE = 10_000_000
"""Elements; a float32 array of that size doesn't fit most caches."""
SMALL = 100
PAIRS = 15


def seconds(run: Callable[[], object], times: int = 1) -> float:
    """The time that one of `times` runs takes."""
    start = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - start) / times


def shortest_measurement(kernel: str, array: NDArray[Any], times: int = 1) -> float:
    return min(seconds(lambda: native.measure_by(kernel, array), times) for _ in range(5))


def array_of(name: str, size: int) -> NDArray[Any]:
    values = np.random.default_rng(0).uniform(0, 20, size)
    return values.astype(getattr(ml_dtypes, name, name))


def compare_with_copying(kernel: str) -> None:
    """Measures and copies by turns, so that a change of the machine's pace hits both."""
    array = array_of("float32", LARGE)
    copy = np.empty_like(array)
    pairs = [
        (
            seconds(lambda: native.measure_by(kernel, array)),
            seconds(array.copy),
            seconds(lambda: np.copyto(copy, array)),
        )
        for _ in range(PAIRS)
    ]
    health, fresh, warm = (statistics.median(times) for times in zip(*pairs, strict=True))
    to_fresh = statistics.median(pair[0] / pair[1] for pair in pairs)
    to_warm = statistics.median(pair[0] / pair[2] for pair in pairs)
    print(f"{kernel}: {LARGE:,} float32 in {health * 1e3:.2f} ms, {health / LARGE * 1e9:.2f} ns each")
    print(f"    {to_fresh:.2f} times array.copy() ({fresh * 1e3:.2f} ms)")
    print(f"    {to_warm:.2f} times numpy.copyto() into memory already in use ({warm * 1e3:.2f} ms)")


def compare_dtypes(kernel: str) -> None:
    print(f"{kernel}: {'dtype':<16}{'ns an element':>14}{f'us for {SMALL}, from Python':>26}")
    for name in (name for name in DTYPES if name in MEASURABLE):
        per_element = shortest_measurement(kernel, array_of(name, LARGE // 4)) / (LARGE // 4)
        per_call = shortest_measurement(kernel, array_of(name, SMALL), times=1000)
        print(f"{'':{len(kernel) + 2}}{name:<16}{per_element * 1e9:>14.2f}{per_call * 1e6:>26.2f}")


def main() -> None:
    for kernel in native.kernels():
        compare_with_copying(kernel)
    print()
    compare_dtypes(native.kernel_name())


if __name__ == "__main__":
    main()
