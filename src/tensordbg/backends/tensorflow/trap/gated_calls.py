"""Gates for calls: a function, branch or loop that writes is called in a copy that writes only where a condition holds.

The condition goes in as one more argument, down to each write; all else in the copy runs as it would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.trap.gates import GATES, Gates
from tensordbg.backends.tensorflow.variables import writes

_OPEN = "tdbg_open"
_BOOL = 10

_TYPES = {"While": "T"}
"""The attribute with the types of what an operation hands to its functions, where it is not `Tin`."""


class CallGates:
    """Makes gated copies of functions, each once."""

    def __init__(self, gates: Gates, find: Callable[[str], Any]) -> None:
        """Makes none yet.

        Args:
            gates: What closes a single write.
            find: Gives the definition of a function that the runtime knows by its name.
        """
        self._gates = gates
        self._find = find
        self._copies: dict[tuple[str, bool], str] = {}
        self._write: dict[str, bool] = {}

    def close(self, node: Any, condition: str) -> bool:
        """Has the functions that a node calls write only where a condition holds.

        Args:
            node: Its NodeDef, which is changed.
            condition: The tensor, a bool.

        Returns:
            Whether they write at all; if not, nothing is changed.
        """
        if not any(map(self._writes, fd.called_functions(node))):
            return False
        ends = [i for i, name in enumerate(node.input) if name.startswith("^")]
        place = ends[0] if ends else len(node.input)
        given = [*node.input[:place], condition, *node.input[place:]]
        del node.input[:]
        node.input.extend(given)
        node.attr[_TYPES.get(node.op, "Tin")].list.type.append(_BOOL)
        is_loop = node.op == "While"
        if is_loop and node.attr["output_shapes"].list.shape:
            node.attr["output_shapes"].list.shape.add()
        for function in fd.functions_of(node):
            # A loop's condition puts out no more than it did, its body what it was given.
            is_body = is_loop and function.name == node.attr["body"].func.name
            function.name = self._copy(function.name, is_body)
        return True

    def _writes(self, name: str) -> bool:
        if name not in self._write:
            self._write[name] = False  # one that calls itself
            self._write[name] = any(
                writes(node.op) or any(map(self._writes, fd.called_functions(node)))
                for node in self._find(name).node_def
            )
        return self._write[name]

    def _copy(self, name: str, is_body: bool) -> str:
        """The runtime name of the gated copy."""
        if (name, is_body) not in self._copies:
            plain = self._find(name)
            copy = type(plain)()
            copy.CopyFrom(plain)
            copy.signature.name = self._copies[name, is_body] = f"tdbg_gated_{len(self._copies)}_{name}"
            copy.signature.input_arg.add(name=_OPEN, type=_BOOL)
            if is_body:
                copy.signature.output_arg.add(name=f"{_OPEN}_out", type=_BOOL)
                copy.ret[f"{_OPEN}_out"] = _OPEN
            self._close_all(copy)
            context.context().add_function_def(copy)
        return self._copies[name, is_body]

    def _close_all(self, definition: Any) -> None:
        dtypes = fd.dtypes_of(definition)
        for node in definition.node_def:
            if writes(node.op):
                self._gates.close(node, _OPEN, [dtypes[name] for name in fd.data_inputs(node)])
            elif node.op in fd.CALLS:
                self.close(node, _OPEN)


CALL_GATES = CallGates(GATES, lambda name: context.context().get_function_def(name))
"""Those of this process."""
