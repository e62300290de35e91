"""Rewrites captured functions to compute in a wider floating-point type.

Every narrower floating-point tensor gets the wider type: arguments, constants, variables, what operations compute. An
operation that has no such form, or would draw other random numbers in it, stays as it is, between casts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.internals import kernels, op_def_registry
from tensordbg.capture.tensors import Array

_FLOAT, _DOUBLE, _COMPLEX64, _BFLOAT16, _COMPLEX128, _HALF = 1, 2, 8, 14, 18, 19

WIDER: Mapping[str, Mapping[int, int]] = {
    "float32": {_HALF: _FLOAT, _BFLOAT16: _FLOAT},
    "float64": {_HALF: _DOUBLE, _BFLOAT16: _DOUBLE, _FLOAT: _DOUBLE, _COMPLEX64: _COMPLEX128},
}
"""What becomes of each dtype, by the dtype that is asked for."""

_STAYS = ("Bitcast", "Multinomial", "Rng", "StatefulStandard", "StatefulTruncated", "StatefulUniform", "StatelessMulti")
"""How the names begin of operations whose results depend on the type in more than precision."""


class Precision:
    """Widens what a capture holds."""

    def __init__(self, wanted: str) -> None:
        """`wanted` is one of `WIDER`, or empty for no change."""
        self._wider = WIDER.get(wanted, {})
        self.kept: list[str] = []
        """Types of operations that stay as they were."""

    def widen_array(self, array: Array) -> Array:
        """An array in the type that takes the place of its own."""
        import tensorflow as tf

        enum = tf.dtypes.as_dtype(array.dtype).as_datatype_enum
        return array.astype(tf.dtypes.as_dtype(self._wider[enum]).as_numpy_dtype) if enum in self._wider else array

    def widen_library(self, library: Any) -> None:
        """Rewrites all functions of a FunctionDefLibrary."""
        for definition in library.function if self._wider else ():
            self._widen_definition(definition)

    def _widen_definition(self, definition: Any) -> None:
        for argument in (*definition.signature.input_arg, *definition.signature.output_arg):
            argument.type = self._wider.get(argument.type, argument.type)
            for handle in argument.handle_data:
                handle.dtype = self._wider.get(handle.dtype, handle.dtype)
        for attributes in definition.arg_attr.values():
            _map_types(attributes.attr, self._wider)
        casts = _Casts(definition)
        for node in list(definition.node_def):
            self._widen_node(node, casts)
        casts.rename()

    def _widen_node(self, node: Any, casts: _Casts) -> None:
        before, given = list(fd.outputs(node)), list(_input_dtypes(node))
        wide = type(node)()
        wide.CopyFrom(node)
        _map_types(wide.attr, self._wider)
        if _can_run(wide) and "Random" not in node.op and not node.op.startswith(_STAYS):
            if node.op == "Const" and node.attr["dtype"].type in self._wider:
                wide.attr["value"].tensor.CopyFrom(self._wider_constant(node.attr["value"].tensor))
            node.CopyFrom(wide)
        elif wide != node and node.op not in self.kept:
            self.kept.append(node.op)
        for position, (old, now) in enumerate(zip(given, _input_dtypes(node), strict=True)):
            casts.before(node, position, self._wider.get(old, old), now)
        for old_output, output in zip(before, fd.outputs(node), strict=True):
            casts.behind(node, output, self._wider.get(old_output.dtype, old_output.dtype))

    def _wider_constant(self, tensor: Any) -> Any:
        import tensorflow as tf

        return tf.make_tensor_proto(self.widen_array(np.asarray(tf.make_ndarray(tensor))))


class _Casts:
    """Puts casts around nodes whose types differ from those of the tensors around them."""

    def __init__(self, definition: Any) -> None:
        self._definition = definition
        self._renamed: dict[str, str] = {}
        self._made: set[str] = set()

    def before(self, node: Any, position: int, there: int, wanted: int) -> None:
        """Where an input is of another type than the node takes."""
        if there != wanted:
            data = [i for i, name in enumerate(node.input) if not name.startswith("^")]
            cast = self._cast(f"{node.name}/tdbg_given_{position}", node.input[data[position]], there, wanted)
            node.input[data[position]] = f"{cast}:y:0"

    def behind(self, node: Any, output: fd.Output, wanted: int) -> None:
        """Where an output is of another type than those who take it expect."""
        if output.dtype != wanted:
            cast = self._cast(f"{node.name}/tdbg_made_{output.slot}", output.tensor, output.dtype, wanted)
            self._renamed[output.tensor] = f"{cast}:y:0"

    def rename(self) -> None:
        """Has all take the casts of outputs."""
        for node in self._definition.node_def:
            source = node.input[0] if node.name in self._made and node.input[0] in self._renamed else ""
            behind = self._renamed.get(source, "").partition(":")[0] == node.name
            if not behind:
                node.input[:] = [self._renamed.get(name, name) for name in node.input]
        for name, tensor in list(self._definition.ret.items()):
            self._definition.ret[name] = self._renamed.get(tensor, tensor)

    def _cast(self, name: str, tensor: str, there: int, wanted: int) -> str:
        node = self._definition.node_def.add(name=name, op="Cast", input=[tensor])
        node.attr["SrcT"].type, node.attr["DstT"].type = there, wanted
        self._made.add(name)
        return name


def _map_types(attributes: Any, wider: Mapping[int, int]) -> None:
    for value in attributes.values():
        if value.HasField("type"):
            value.type = wider.get(value.type, value.type)
        elif value.HasField("list") and value.list.type:
            value.list.type[:] = [wider.get(each, each) for each in value.list.type]


def _input_dtypes(node: Any) -> Iterator[int]:
    """The dtypes that a node takes, one for each input that is no control edge."""
    definition = op_def_registry.get(node.op)
    for argument in () if definition is None else definition.input_arg:
        yield from fd.argument_dtypes(node, argument)


def _can_run(node: Any) -> bool:
    """Whether the operation exists with these types, with a kernel for the processor."""
    definition = op_def_registry.get(node.op)
    if definition is None:
        return True
    for attribute in definition.attr:
        allowed = attribute.allowed_values.list.type
        if allowed and not set(_types(node.attr[attribute.name])) <= set(allowed):
            return False
    known = [each for each in kernels.get_registered_kernels_for_op(node.op).kernel if each.device_type == "CPU"]
    return not known or any(_fits(node, each) for each in known)


def _fits(node: Any, kernel: Any) -> bool:
    return all(
        set(_types(node.attr[constraint.name])) <= set(constraint.allowed_values.list.type)
        for constraint in kernel.constraint
    )


def _types(value: Any) -> list[int]:
    return [value.type] if value.HasField("type") else list(value.list.type)
