"""The dtypes that a trace knows, by number, and which kernel measures each.

The numbers are part of the trace's format and of `native/health.h`: never change one, only add.
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


def measurable_name(dtype: np.dtype[Any]) -> str:
    """The name of a dtype that has health; bfloat16 and the float8 types are known by name, whoever defines them.

    Raises:
        UsageError: It has none.
    """
    if dtype.name not in MEASURABLE:
        raise UsageError(f"the dtype {dtype.name!r} has no health; those that have are {', '.join(DTYPES[1:18])}")
    return dtype.name
