"""TensorFlow's data types by their number in `types.proto`, as a trace names them."""

from __future__ import annotations

from tensordbg.health import spec

DTYPE_NAMES: dict[int, str] = spec.TENSORFLOW_DTYPES
"""The same table is in `native/tensorflow/api.cpp`; a test compares both with TensorFlow's own."""

INT32 = 3
STRING = 7
RESOURCE = 20
VARIANT = 21

TRACE_NUMBERS: dict[int, int] = {enum: spec.DTYPE_NUMBERS[name] for enum, name in DTYPE_NAMES.items()}

FLOATS = frozenset(enum for enum, name in DTYPE_NAMES.items() if name in spec.FLOATS)
"""Those that can hold a NaN or an infinity."""

PROBED = frozenset(DTYPE_NAMES) - {STRING, RESOURCE, VARIANT}
"""Those whose elements are numbers."""

RECORDED = PROBED | {STRING}
"""Those whose tensors are recorded."""

AS_BYTES: dict[int, str] = {14: "uint16", 24: "uint8", 25: "uint8"}
"""NumPy types through which the data of types that the buffer protocol does not know are handed over."""


def name_of(enum: int) -> str:
    """The trace's name of a TensorFlow data type; reference types count as their base."""
    return DTYPE_NAMES.get(enum % 100, "unknown")
