"""The values of the operations of a compiled graph: from the buffers that are there, else computed again, eagerly.

A kernel keeps to itself what it computes on the way. What it was computed from is mostly still there when its result
is looked at.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from tensordbg.backends.torch.compiled.describing import Graph

_PURE = ("aten", "prims", "quantized_decomposed")
"""The operations that compute and nothing else, by their libraries; one of the program's own may do anything."""


class GoneError(Exception):
    """Says that what would be needed is not there any more, or can't be computed again."""


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """A block in which operations run as those of a compiled graph do."""
    import torch
    from torch.utils._python_dispatch import _disable_current_modes

    with torch.no_grad(), torch.amp.autocast("cpu", enabled=False), _disable_current_modes():
        yield


class Values:
    """The values of operations, for one result that was stored."""

    def __init__(self, graph: Graph, variables: dict[str, Any], wanted: Any) -> None:
        """Takes the graph, the variables of the generated code at this point, and the operation with that result."""
        self._graph = graph
        self._variables = variables
        self.wanted = wanted
        self.known: dict[Any, Any] = {}
        """What has been asked for: by operation, its value."""
        arguments = [each.target for each in graph.module.graph.nodes if each.op == "placeholder"]
        self._overwritten = {arguments[place] for place in graph.written}
        self.computed: dict[Any, Any] = {}
        """What was run again, but for the one that was stored."""

    def value(self, node: Any) -> Any:
        """The value of an operation, an argument or a constant.

        Raises:
            GoneError: It is not there, and can't be computed.
        """
        if node not in self.known:
            self.known[node] = self._find(node)
        return self.known[node]

    def compute(self, node: Any) -> Any:
        """Runs an operation.

        Raises:
            GoneError: What it takes is not there, and can't be computed, or it is one of chance.
        """
        import torch

        target = node.target
        if node.op != "call_function":
            raise GoneError
        if isinstance(target, torch._ops.OpOverload):  # noqa: SLF001  what FX calls its operations
            if target._schema.is_mutable or torch.Tag.nondeterministic_seeded in target.tags:  # noqa: SLF001
                raise GoneError
            if target.namespace not in _PURE or target.__name__.startswith("inductor_"):
                raise GoneError
        elif getattr(target, "__module__", "") not in ("_operator", "math"):
            raise GoneError
        arguments = torch.fx.node.map_arg(node.args, self.value)
        words = torch.fx.node.map_arg(node.kwargs, self.value)
        return target(*arguments, **words)

    def walk(self, goes_on: Callable[[Any, Any], bool]) -> None:
        """Finds the value of the result, and values of what it is made of.

        Args:
            goes_on: Is given an operation and its value, and says whether what that takes is looked at too. Behind an
                operation that can't be run again it always is.
        """
        seen: set[Any] = set()
        waiting = [self.wanted]
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            try:
                further = goes_on(node, self.value(node))
            except GoneError:
                further = True
            if further:
                waiting.extend(node.all_input_nodes)

    def _find(self, node: Any) -> Any:
        import operator

        if node.op == "get_attr":
            return getattr(self._graph.module, node.target)
        if node.op == "placeholder":
            if node.target in self._overwritten:
                raise GoneError
            return self._variable(node.target)
        key = (node, 0)
        if node.op == "call_function" and node.target is operator.getitem:
            key = (node.args[0], int(node.args[1]))
        name = self._graph.buffers.get(key)
        if name in self._variables and node is not self.wanted and self._fits(node, self._variables[name]):
            return self._variables[name]
        result = self.compute(node)
        if node in self._graph.references and node.target is not operator.getitem:
            self.computed[node] = result
        return result

    def _variable(self, name: str) -> Any:
        if name not in self._variables:
            raise GoneError
        return self._variables[name]

    def _fits(self, node: Any, value: Any) -> bool:
        expected = node.meta.get("val")
        if len(expected.shape) != value.dim():
            return False
        return all(
            not isinstance(want, int) or want == have for want, have in zip(expected.shape, value.shape, strict=True)
        )
