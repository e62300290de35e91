"""Picks the tensors out of what an eager operation takes and gives, and makes one of a number or an array."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow.internals import op_def_registry


@cache
def input_count(op_type: str) -> int:
    """How many arguments of an operation are inputs; lists of tensors count as one."""
    definition = op_def_registry.get(op_type)
    return 0 if definition is None else len(definition.input_arg)


def flat(values: Any) -> list[Any]:
    """The tensors in what an operation takes: one, several, or lists of them."""
    flat: list[Any] = []
    for value in values:
        if isinstance(value, (list, tuple)) and any(hasattr(item, "_datatype_enum") for item in value):
            flat.extend(value)
        else:
            flat.append(value)
    return flat


def results_of(result: Any) -> list[Any]:
    """The tensors that an operation gives: none, one, several, or lists of them, of which some may be empty."""
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in results_of(part)]
    return [] if result is None else [result]


def as_tensor(value: Any) -> Any:
    """A number or array given where a tensor is wanted, as a tensor; None where it is nothing of the kind."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    if array.dtype.kind not in "biufcSU":
        return None
    import tensorflow as tf  # imported by the program already

    # An array of bytes has lost the zeros at their ends.
    return tf.constant(value if array.dtype.kind == "S" else array)
