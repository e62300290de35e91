"""The dtypes that a trace knows, by number, and which kernel measures each.

The numbers are part of the trace's format and of `native/health.h`: never change one, only add.
"""

from __future__ import annotations

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
