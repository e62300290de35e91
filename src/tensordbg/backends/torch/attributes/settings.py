"""Chooses what is kept of how a PyTorch operation was asked to compute: the attributes of its site."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Setting = bool | int | float | str | list[bool] | list[int] | list[float]
"""An argument that is no tensor and no number to compute with."""

_ABOUT_MEMORY = frozenset(
    {
        "dtype", "layout", "device", "pin_memory", "memory_format", "non_blocking", "copy", "implicit",
        "size", "sizes", "input_sizes", "self_sizes", "sym_size", "storage_offset",
        "benchmark", "deterministic", "cudnn_enabled", "allow_tf32", "cudnn_enable", "output_mask", "grad_input_mask",
        "impl_index", "found_inf", "half_to_float", "input_dtype",
    }
)  # fmt: skip
"""Arguments that say where and how the result lies in memory, not which numbers it holds."""

_RENAMED = {"value": "factor"}
"""The factor of `addcmul`: `value` is what a constant's site says of its number."""


def kept_settings(given: Mapping[str, Setting]) -> dict[str, Setting]:
    """Returns the settings that decide which numbers an operation gives, those that JSON can hold.

    Args:
        given: What an operation was called with, by the names of its schema: of the first call at the site.
    """
    return {
        _RENAMED.get(name, name): value
        for name, value in given.items() if name not in _ABOUT_MEMORY and _is_plain(value)
    }  # fmt: skip


def settings_of_call(target: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Setting]:
    """Returns the settings in the call of an overload, as a graph has it; defaults of the schema are filled in."""
    schema = getattr(target, "_schema", None)
    found: dict[str, Setting] = {}
    for place, argument in enumerate(schema.arguments if schema is not None else ()):
        default = named.get(argument.name, argument.default_value)
        value = arguments[place] if place < len(arguments) else default
        is_number = str(argument.type) in ("number", "Tensor") and not argument.kwarg_only
        if not is_number and "Tensor" not in str(argument.type):
            found[argument.name] = list(value) if isinstance(value, (list, tuple)) else value
    return kept_settings(found)


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(_is_plain(each) and not isinstance(each, list) for each in value)
    return isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))
