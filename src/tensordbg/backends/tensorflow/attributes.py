"""The small attributes of an operation, as JSON: axes, target types, small constants."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.internals import op_def_registry

_LONGEST = 16
"""Elements of a list, or of a constant, that are still kept."""
_WHOLE = (int, np.integer)
"""What is a number already; of a tensor nothing is asked."""


def attributes_json(node: Any) -> str:
    """A JSON object of those attributes of a NodeDef that are small and say something."""
    found = {}
    for name in node.attr:
        if not name.startswith("_"):
            value = _plain(node.attr[name])
            if value is not None:
                found[name] = value
    return json.dumps(found)


def eager_attributes(op_type: str, settings: Sequence[Any] | None) -> dict[str, object]:
    """The small attributes of an operation that runs eagerly.

    Args:
        op_type: Its type.
        settings: Names and values in turn, as the runtime takes them: `("alpha", 0.3, "T", 1)`; it takes `None` too.
    """
    definition = op_def_registry.get(op_type)
    kinds = {} if definition is None else {each.name: each.type for each in definition.attr}
    told = settings or ()
    named = zip(told[::2], told[1::2], strict=False)
    found = {name: _plain_setting(kinds[name], value) for name, value in named if name in kinds}
    return {name: value for name, value in found.items() if value is not None}


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


def _plain_setting(kind: str, value: Any) -> object:
    if kind == "type":
        enum = getattr(value, "as_datatype_enum", value)
        return dtypes.name_of(enum) if isinstance(enum, int) else None
    if kind == "float" and isinstance(value, (int, float)):
        return float(value) if np.isfinite(value) else str(value)
    if kind == "string" and isinstance(value, (bytes, str)) and len(value) < 200:
        return (value.decode("utf-8", "replace") if isinstance(value, bytes) else value) or None
    if kind == "list(int)" and isinstance(value, (list, tuple)) and 0 < len(value) <= _LONGEST:
        return [int(each) for each in value] if all(isinstance(each, _WHOLE) for each in value) else None
    if kind in ("int", "bool") and isinstance(value, _WHOLE):
        return bool(value) if kind == "bool" else int(value)
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
