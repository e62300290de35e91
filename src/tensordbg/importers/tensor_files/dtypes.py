"""The types of numbers by the names that files give them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

OF_SAFETENSORS: Mapping[str, str] = MappingProxyType({
    "BOOL": "bool", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64", "U8": "uint8", "U16": "uint16",
    "U32": "uint32", "U64": "uint64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "C64": "complex64",
})  # fmt: skip
"""What a trace calls the types of the format; those that are missing here it does not know."""
