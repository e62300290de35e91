"""Functions of TensorFlow 1 that a graph calls by operations of their names, as `Defun` makes them.

Such a function is a definition in the graph's library; the graph that it was made from is gone at once. So the stacks
of its operations are kept when it is made. The runtime inlines such a call like any other, so it is described as one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.node_names import of_node
from tensordbg.backends.tensorflow.internals import function
from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.model import NONE

_CALL = "PartitionedCall"
_NOTHING: Mapping[str, int] = MappingProxyType({})


class LegacyFunctions:
    """The hook into what makes such functions; it stays, as nobody makes one a second time."""

    def __init__(self, stacks: Stacks) -> None:
        self._stacks = stacks
        self._by_function: dict[str, dict[str, int]] = {}
        self._making = threading.local()
        self._installed = False

    def install(self) -> None:
        """Keeps the stacks of what is made from now on."""
        if self._installed:
            return
        self._installed = True
        trace = function.func_graph_from_py_func
        make = function._DefinedFunction._create_definition_if_needed_impl  # noqa: SLF001  see internals.py

        def traced(*args: Any, **kwargs: Any) -> Any:
            graph = trace(*args, **kwargs)
            self._making.graph = graph
            return graph

        def made(this: Any) -> None:
            # It is called again inside, when the definition is there.
            outer, self._making.graph = getattr(self._making, "graph", None), None
            try:
                make(this)
                graph = self._making.graph
            finally:
                self._making.graph = outer
            if graph is not None:
                self._by_function[this.name] = self._stacks.of_graph(graph)

        function.func_graph_from_py_func = unseen(traced)
        function._DefinedFunction._create_definition_if_needed_impl = unseen(made)  # noqa: SLF001

    def stack(self, name: str, node: str) -> int:
        """Where the operation behind a node of a function was made; `NONE` where that is not known."""
        found = of_node(self._by_function.get(name, _NOTHING), node)
        return NONE if found is None else found


def called_by(graph: Any, node: Any) -> tuple[str, ...]:
    """Names of the functions that a node of a graph calls, by its attributes or as what it is."""
    named = fd.called_functions(node)
    return (node.op,) if not named and graph._is_function(node.op) else named  # noqa: SLF001  see internals.py


def with_usual_calls(definition: Any, signature_of: Callable[[str], Any]) -> Any:
    """A copy of a FunctionDef in which what is called by an operation of its name is called as all others are.

    Args:
        definition: The FunctionDef.
        signature_of: Gives the signature of a function by its name, None where there is no such function.
    """
    copy = type(definition)()
    copy.CopyFrom(definition)
    renamed: dict[str, str] = {}
    for node in copy.node_def:
        signature = signature_of(node.op)
        if signature is None:
            continue
        for position, result in enumerate(signature.output_arg):
            renamed[f"{node.name}:{result.name}:0"] = f"{node.name}:output:{position}"
        node.attr["f"].func.name = node.op
        node.attr["Tin"].list.type.extend(given.type for given in signature.input_arg)
        node.attr["Tout"].list.type.extend(result.type for result in signature.output_arg)
        node.op = _CALL
    for node in copy.node_def if renamed else ():
        node.input[:] = [renamed.get(name, name) for name in node.input]
    for name, tensor in [*copy.ret.items()] if renamed else ():
        copy.ret[name] = renamed.get(tensor, tensor)
    return copy
