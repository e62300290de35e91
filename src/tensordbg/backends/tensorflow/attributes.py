"""The small attributes of an operation, as JSON: axes, target types, small constants."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes

_LONGEST = 16
"""Elements of a list, or of a constant, that are still kept."""


def attributes_json(node: Any) -> str:
    """A JSON object of those attributes of a NodeDef that are small and say something."""
    found = {}
    for name in node.attr:
        if not name.startswith("_"):
            value = _plain(node.attr[name])
            if value is not None:
                found[name] = value
    return json.dumps(found)


def with_notes(attributes: str, notes: Mapping[str, object]) -> str:
    """The attributes of an operation, with those notes of ours that say something."""
    told = {name: note for name, note in notes.items() if note}
    return json.dumps({**json.loads(attributes), **told}) if told else attributes


def _plain(attribute: Any) -> object:
    kind = attribute.WhichOneof("value")
    if kind in ("i", "b", "f"):
        value = getattr(attribute, kind)
        return value if kind != "f" or np.isfinite(value) else str(value)
    if kind == "type":
        return dtypes.name_of(attribute.type)
    if kind == "s" and len(attribute.s) < 200:
        return attribute.s.decode("utf-8", "replace") or None
    if kind == "tensor":
        return _small_constant(attribute.tensor)
    if kind == "list" and 0 < len(attribute.list.i) <= _LONGEST:
        return list(attribute.list.i)
    return None


def _small_constant(tensor: Any) -> object:
    size = 1
    for dim in tensor.tensor_shape.dim:
        size *= dim.size
    if not 0 < size <= _LONGEST or tensor.dtype in (7, dtypes.RESOURCE, dtypes.VARIANT):
        return None
    import tensorflow as tf  # imported by the program already

    value = tf.make_ndarray(tensor)
    if value.dtype.kind not in "fiub" and value.dtype.name != "bfloat16":
        return None
    # Numbers that JSON lacks are kept as words.
    return np.vectorize(lambda x: x if np.isfinite(x) else str(x), otypes=[object])(value.astype(object)).tolist()
