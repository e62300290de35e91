"""The dtypes that a trace knows, by number, and which kernel measures each.

The numbers are part of the trace's format and of `native/health/measure.h`: never change one, only add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensordbg.errors import UsageError

if TYPE_CHECKING:
    import numpy as np

DTYPES: tuple[str, ...] = (
    "unknown",
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "float8_e4m3fn",
    "float8_e5m2",
    "complex64",
    "complex128",
    "string",
    "resource",
    "variant",
)
"""Names by number; a dtype that is not among them is recorded as `unknown`, without health."""

DTYPE_NUMBERS: dict[str, int] = {name: number for number, name in enumerate(DTYPES)}

MEASURABLE: frozenset[str] = frozenset(DTYPES[1:18])
"""Those whose health can be measured."""

FLOATS: frozenset[str] = frozenset(DTYPES[10:18])
"""Those that can hold a NaN or an infinity."""


TENSORFLOW_DTYPES: dict[int, str] = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    14: "bfloat16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
}
"""TensorFlow's data types, by their number in its `types.proto`, as a trace names them."""


def measurable_name(dtype: np.dtype[Any]) -> str:
    """The name of a dtype that has health; bfloat16 and the float8 types are known by name, whoever defines them.

    Raises:
        UsageError: It has none.
    """
    if dtype.name not in MEASURABLE:
        raise UsageError(f"the dtype {dtype.name!r} has no health; those that have are {', '.join(DTYPES[1:18])}")
    return dtype.name
