"""Arrays for the tests of the health kernel: every dtype, at any alignment, with the elements that make trouble."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tensordbg.health.spec import DTYPES, FLOATS, MEASURABLE

NAMES: tuple[str, ...] = tuple(name for name in DTYPES if name in MEASURABLE)
FLOAT_NAMES: tuple[str, ...] = tuple(name for name in NAMES if name in FLOATS)

BLOCK_BYTES = 16384
"""As kBlockBytes in native/health/block.h."""

CONTENTS = ("random bits", "finite", "few non-finite", "special values", "all NaN", "subnormal", "zero")
"""What an array can be filled with; see `fill`."""


def dtype_named(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, name))


def part_name(name: str) -> str:
    """The dtype of a complex number's parts; any other dtype itself."""
    return {"complex64": "float32", "complex128": "float64"}.get(name, name)


def special_values(name: str) -> NDArray[Any]:
    """Zeros, infinities, NaNs with payloads and the limits of a real floating-point dtype, as its bits."""
    dtype = dtype_named(name)
    info = ml_dtypes.finfo(dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    sign = 1 << (8 * dtype.itemsize - 1)
    limits = np.array([0, info.smallest_subnormal, info.smallest_normal, 1, info.max, np.nan], dtype).view(bits)
    smallest_normal, largest = int(limits[2]), int(limits[4])
    magnitudes = {int(value) & ~sign for value in limits} | {smallest_normal - 1, largest + 1, sign - 1}
    if name != "float8_e4m3fn":
        magnitudes |= {largest + 2}
    return np.array(sorted(magnitudes | {magnitude | sign for magnitude in magnitudes}), bits)


def fill(rng: np.random.Generator, name: str, size: int, content: str) -> bytes:
    """The bytes of `size` elements. Dtypes without non-finite elements know random bits and zero only."""
    dtype = dtype_named(name)
    parts = size * (dtype.itemsize // dtype_named(part_name(name)).itemsize)
    if name == "bool":
        return (rng.integers(0, 2, size, np.uint8) * (content != "zero")).tobytes()
    if content == "zero":
        return bytes(size * dtype.itemsize)
    if content == "random bits" or name not in FLOATS:
        return rng.bytes(size * dtype.itemsize)
    return _fill_floats(rng, part_name(name), parts, content)


def _fill_floats(rng: np.random.Generator, name: str, size: int, content: str) -> bytes:
    dtype = dtype_named(name)
    special = special_values(name)
    info = ml_dtypes.finfo(dtype)
    if content == "special values":
        return rng.choice(special, size).tobytes()
    if content == "all NaN":
        with np.errstate(invalid="ignore"):
            nan = special[np.isnan(special.view(dtype))]
        return rng.choice(nan, size).tobytes()
    if content == "subnormal":
        count = int(np.array(info.smallest_normal, dtype).view(special.dtype))
        return rng.integers(0, count, size, special.dtype).tobytes()
    elements = (rng.normal(size=size) * 10.0 ** rng.integers(-3, 2)).astype(dtype).view(special.dtype)
    if content == "few non-finite" and size:
        places = rng.integers(0, size, max(1, size // 1000))
        elements[places] = rng.choice(special, places.size)
    return elements.tobytes()


def placed(data: bytes, name: str, offset: int) -> NDArray[Any]:
    """An array of the bytes, that starts `offset` bytes behind a 64-byte boundary."""
    room = np.empty(len(data) + 128, np.uint8)
    start = -room.ctypes.data % 64 + offset
    room[start : start + len(data)] = np.frombuffer(data, np.uint8)
    return room[start : start + len(data)].view(dtype_named(name))


@st.composite
def arrays_of(draw: st.DrawFn, name: str) -> NDArray[Any]:
    """One-dimensional arrays of a dtype, of sizes about the kernel's vectors and blocks."""
    block = BLOCK_BYTES // dtype_named(name).itemsize
    edges = [0, 1, 2, 4, 8, 16, 32, 64, 128, block, 2 * block, BLOCK_BYTES]
    near = st.tuples(st.sampled_from(edges), st.integers(-1, 1)).map(lambda pair: max(0, pair[0] + pair[1]))
    size = draw(near | st.integers(0, 300))
    seed = draw(st.integers(0, 2**32 - 1))
    content = draw(st.sampled_from(CONTENTS))
    offset = draw(st.integers(0, 63))
    return placed(fill(np.random.default_rng(seed), name, size, content), name, offset)
