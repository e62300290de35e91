"""An operation that TensorFlow refused to build, out of the message that says so: its name, type and inputs.

    Dimensions must be equal, but are 3 and 4 for '{{node MatMul}} = MatMul[T=DT_FLOAT, ...](x, ones)' with input
    shapes: [2,3], [4,3].

The operation is in no graph, so nothing else tells of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow.internals import op_def_registry
from tensordbg.model import StatedInput

_BUILT = re.compile(r"\{\{node (?P<name>[^}]+)\}\} = (?P<type>\w+)(?P<rest>.*)", re.DOTALL)
_NAMES = re.compile(r"\((?P<names>[^()]*)\)'")
_SHAPES = re.compile(r"with input shapes: (?P<shapes>(?:(?:\[[^\]]*\]|<unknown>|\?)(?:, )?)*)")
_SHAPE = re.compile(r"\[(?P<dims>[^\]]*)\]|<unknown>|\?")
_ATTRIBUTE = r"[\[ ]{}=(\[[^\]]*\]|[^,\]]*)"


@dataclass(frozen=True)
class Unbuilt:
    """The operation; `name` and `op_type` are empty where the message is of none."""

    name: str = ""
    op_type: str = ""
    inputs: tuple[StatedInput, ...] = ()


def unbuilt(message: str) -> Unbuilt:
    """The operation that a message is of."""
    built = _BUILT.search(message)
    if built is None:
        return Unbuilt()
    names, shapes = _NAMES.search(built["rest"]), _SHAPES.search(built["rest"])
    if names is None or shapes is None:
        return Unbuilt(built["name"], built["type"])
    given = [name for name in names["names"].split(", ") if name and not name.startswith("^")]
    sizes = [_dims(shape["dims"]) for shape in _SHAPE.finditer(shapes["shapes"])]
    dtypes = list(_dtypes(built["type"], built["rest"][: names.start()]))
    if len(given) != len(sizes):
        return Unbuilt(built["name"], built["type"])
    dtypes += [""] * (len(given) - len(dtypes))
    inputs = (StatedInput(*each) for each in zip(given, dtypes, sizes, strict=False))
    return Unbuilt(built["name"], built["type"], tuple(inputs))


def _dims(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    return tuple(int(dim) if dim.isdigit() else -1 for dim in text.split(",") if dim)


def _dtypes(op_type: str, attributes: str) -> Iterator[str]:
    """The data type of each input, lists spread out; they end where one can't be told."""
    definition = op_def_registry.get(op_type)
    for argument in () if definition is None else definition.input_arg:
        if argument.type_list_attr:
            yield from map(_dtype, _attribute(attributes, argument.type_list_attr).strip("[]").split(", "))
            continue
        stated = _attribute(attributes, argument.type_attr) if argument.type_attr else argument.type
        times = _attribute(attributes, argument.number_attr) if argument.number_attr else "1"
        if not times.isdigit():
            return
        yield from [_dtype(stated)] * int(times)


def _attribute(attributes: str, name: str) -> str:
    found = re.search(_ATTRIBUTE.format(re.escape(name)), attributes)
    return "" if found is None else found[1]


def _dtype(stated: Any) -> str:
    """The name of a data type, given as TensorFlow writes it or as its number."""
    import tensorflow as tf  # imported by the program already

    try:
        return str(tf.dtypes.as_dtype(stated if isinstance(stated, int) else stated.removeprefix("DT_").lower()).name)
    except TypeError:
        return ""
