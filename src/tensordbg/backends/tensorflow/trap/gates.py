"""Gates: a write of a function becomes a branch that writes only where a condition holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensordbg.backends.tensorflow.internals import context

_BOOL = 10
_WRITE = "write"


class Gates:
    """Makes gates; the functions of their branches are shared by all writes of one kind."""

    def __init__(self) -> None:
        self._branches: dict[bytes, tuple[str, str]] = {}

    def close(self, node: Any, condition: str, dtypes: Sequence[int]) -> None:
        """Turns an operation without outputs into a branch.

        Args:
            node: Its NodeDef, which is changed; those that wait for it wait for the branch.
            condition: The tensor, a bool, that must hold for it to run.
            dtypes: Of its inputs.
        """
        taken, left_out = self._functions(node, dtypes)
        given = list(node.input)
        name, device = node.name, node.device
        node.Clear()
        node.name, node.op, node.device = name, "If", device
        node.input.extend([condition, *given])
        node.attr["Tcond"].type = _BOOL
        node.attr["Tin"].list.type.extend(dtypes)
        for attribute in ("Tout", "output_shapes"):
            node.attr[attribute].list.SetInParent()
        node.attr["then_branch"].func.name = taken
        node.attr["else_branch"].func.name = left_out
        node.attr["_lower_using_switch_merge"].b = True

    def _functions(self, node: Any, dtypes: Sequence[int]) -> tuple[str, str]:
        """Runtime names of the functions of both branches."""
        pattern = type(node)()
        pattern.CopyFrom(node)
        del pattern.input[:]
        pattern.name = _WRITE
        key = pattern.SerializeToString(deterministic=True) + bytes(str(list(dtypes)), "ascii")
        if key not in self._branches:
            number = len(self._branches)
            nothing = type(node)(name=_WRITE, op="NoOp")
            pattern.input.extend(f"x{i}" for i in range(len(dtypes)))
            self._branches[key] = (
                _define(f"tdbg_gate_{number}_open", pattern, dtypes),
                _define(f"tdbg_gate_{number}_closed", nothing, dtypes),
            )
        return self._branches[key]


GATES = Gates()
"""Those of this process: the runtime keeps their functions for its life."""


def _define(name: str, node: Any, dtypes: Sequence[int]) -> str:
    """Tells the runtime of a function that runs one node."""
    from tensorflow.core.framework import function_pb2

    definition = function_pb2.FunctionDef()
    definition.signature.name = name
    definition.signature.is_stateful = True
    for i, dtype in enumerate(dtypes):
        definition.signature.input_arg.add(name=f"x{i}", type=dtype)
    definition.node_def.add().CopyFrom(node)
    definition.control_ret[_WRITE] = _WRITE
    definition.signature.control_output.append(_WRITE)
    context.context().add_function_def(definition)
    return name
