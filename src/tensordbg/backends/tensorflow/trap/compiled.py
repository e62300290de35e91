"""A trap for a step that XLA compiles: the step is tested and its writes are left out inside of what is compiled.

XLA knows no operation of ours. So the step becomes a function that is compiled, in which each write is a branch on
whether everything is finite, and that gives out what was tested; and around it a function that calls it and hands that
to the trap. When the trap looks, a bad step has written nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.trap.gates import GATES
from tensordbg.backends.tensorflow.trap.nodes import TrapPlacer, TrapPoint
from tensordbg.trapping.targets import GRADIENT, LOSS, LOWEST_SCALE, RATE, SCALE

_CALL = "tdbg_trap/call"
_GOOD = "tdbg_trap/good"
_BOOL, _INT32 = 10, 3


def place_around(definition: Any, tested: Sequence[tuple[str, int]], roles: Sequence[str], number: int) -> TrapPoint:
    """Turns a definition into one that calls what was in it, compiled, and tests what comes out.

    Args:
        definition: The FunctionDef, without its wish to be compiled, which is changed.
        tested: Tensors, by their names in the definition, and their dtypes.
        roles: What each of them is.
        number: Which trap it is.
    """
    compiled = type(definition)()
    compiled.CopyFrom(definition)
    compiled.signature.name = f"tdbg_compiled_{number}_{definition.signature.name}"
    compiled.attr[fd.XLA_ATTRIBUTE].b = True
    placer = TrapPlacer(compiled, tested, roles)
    condition = _Condition(compiled).add(tested, roles)
    early = placer.leave_out_writes(GATES, condition)
    given_out = [*tested, *((each.tensor, each.dtype) for each in early)]
    for i, (tensor, dtype) in enumerate(given_out):
        compiled.signature.output_arg.add(name=f"tdbg_out{i}", type=dtype)
        compiled.ret[f"tdbg_out{i}"] = tensor
    context.context().add_function_def(compiled)
    plain = len(definition.signature.output_arg)
    _call_only(definition, compiled)
    outside = [(f"{_CALL}:output:{plain + i}", dtype) for i, (_, dtype) in enumerate(given_out)]
    around = TrapPlacer(definition, outside[: len(tested)], roles)
    names = [name for name, _ in outside[len(tested) :]]
    return around.place_after(number, [replace(each, tensor=name) for each, name in zip(early, names, strict=True)])


def _call_only(definition: Any, compiled: Any) -> None:
    """Leaves nothing in a definition but the call of the compiled one."""
    del definition.node_def[:]
    definition.control_ret.clear()
    del definition.signature.control_output[:]
    call = definition.node_def.add(name=_CALL, op="StatefulPartitionedCall")
    call.input.extend(argument.name for argument in compiled.signature.input_arg)
    call.attr["Tin"].list.SetInParent()
    call.attr["Tin"].list.type.extend(argument.type for argument in compiled.signature.input_arg)
    call.attr["Tout"].list.SetInParent()
    call.attr["Tout"].list.type.extend(output.type for output in compiled.signature.output_arg)
    call.attr["f"].func.name = compiled.signature.name
    call.attr[fd.XLA_ATTRIBUTE].b = True
    for name in ("config", "config_proto", "executor_type"):
        call.attr[name].s = b""
    for i, output in enumerate(definition.signature.output_arg):
        definition.ret[output.name] = f"{_CALL}:output:{i}"
    fd.must_run(definition, _CALL)


class _Condition:
    """Adds to a definition the operations that tell whether a step may write."""

    def __init__(self, definition: Any) -> None:
        self._definition = definition
        self._count = 0

    def add(self, tested: Sequence[tuple[str, int]], roles: Sequence[str]) -> str:
        """The tensor that tells."""
        finite = {role: list(self._finite(tested, roles, role)) for role in (LOSS, GRADIENT, RATE)}
        gradients = self._all(finite[GRADIENT])
        if SCALE in roles:
            # What overflows under a scale is the optimizer's own matter.
            scale, dtype = tested[list(roles).index(SCALE)]
            lowest = self._constant(dtype, LOWEST_SCALE)
            larger = self._node("Greater", [scale, lowest], T=dtype)
            gradients = self._node("LogicalOr", [gradients, f"{larger}:z:0"]) + ":z:0"
        return self._all([*finite[LOSS], *finite[RATE], gradients])

    def _finite(self, tested: Sequence[tuple[str, int]], roles: Sequence[str], wanted: str) -> Iterator[str]:
        for (tensor, dtype), role in zip(tested, roles, strict=True):
            if role == wanted:
                finite = self._node("IsFinite", [tensor], T=dtype)
                flat = self._node("Reshape", [f"{finite}:y:0", self._constant(_INT32, [-1])], T=_BOOL, Tshape=_INT32)
                every = self._node("All", [f"{flat}:output:0", self._constant(_INT32, [0])], Tidx=_INT32)
                yield f"{every}:output:0"

    def _all(self, flags: list[str]) -> str:
        if not flags:
            return self._constant(_BOOL, True)
        found = flags[0]
        for each in flags[1:]:
            found = self._node("LogicalAnd", [found, each]) + ":z:0"
        return found

    def _constant(self, dtype: int, value: Any) -> str:
        import tensorflow as tf  # imported by the program already

        name = self._node("Const", [], dtype=dtype)
        self._definition.node_def[-1].attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tf.as_dtype(dtype)))
        return f"{name}:output:0"

    def _node(self, op_type: str, inputs: list[str], **types: int) -> str:
        self._count += 1
        node = self._definition.node_def.add(name=f"{_GOOD}{self._count}", op=op_type, input=inputs)
        for name, dtype in types.items():
            node.attr[name].type = dtype
        return str(node.name)
