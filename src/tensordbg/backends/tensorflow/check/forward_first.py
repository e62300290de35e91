"""Has the backward pass of a function be checked after its forward pass, so that the first of the two is blamed.

A gradient need not wait for the forward operation whose gradient it is: that of a logarithm takes what that one took.
So of two bad numbers that of the backward pass could be found first, as chance has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.waiting import BRANCHING

_NAME = "tdbg_forward_checked/"


class ForwardFirst:
    """Learns the operations of one definition, in their order.

    Args:
        definition: To which nodes are added that wait.
        backward: Names of the nodes that belong to a backward pass.
    """

    def __init__(self, definition: Any, backward: AbstractSet[str]) -> None:
        self._definition = definition
        may_wait = backward and not _may_not_run(definition)
        self._backward = frozenset(backward) - _needed_earlier(definition) if may_wait else frozenset()
        self._behind = _waiting_for_later(definition)
        self._checks: list[str] = []
        self._gate: tuple[str, ...] = ()

    def gate(self, node: Any) -> tuple[str, ...]:
        """Returns what a node waits for beside the checks of what it takes in, where a backward pass begins."""
        if node.name in self._behind or any(fd.node_of(name) in self._behind for name in node.input):
            self._behind.add(node.name)
            return ()
        if node.name not in self._backward:
            return ()
        if self._checks:
            name = f"{_NAME}{len(self._behind)}"
            waits_for = [f"^{each}" for each in (*self._gate, *self._checks)]
            self._definition.node_def.add(name=name, op="NoOp", device=node.device, input=waits_for)
            self._gate, self._checks = (name,), []
        if self._gate:
            self._behind.add(node.name)
        return self._gate

    def learn(self, node: Any, checks: Iterable[str]) -> None:
        """Notes the checks of a node, or the call that it is."""
        if self._backward and node.name not in self._behind and node.name not in self._backward:
            self._checks.extend(checks)


def _needed_earlier(definition: Any) -> set[str]:
    """What a node takes that stands behind it, and all that goes into that.

    A loop is given what keeps the tensors of its iterations when its gradient is taken. Were that to wait for the loop,
    nothing would ever run.
    """
    return fd.nodes_before(definition, [name for name, _, waits in _from_behind(definition) if not waits])


def _waiting_for_later(definition: Any) -> set[str]:
    """Those that run after a node which stands behind them, as what a function returns runs after its updates."""
    return {taker for _, taker, waits in _from_behind(definition) if waits}


def _from_behind(definition: Any) -> Iterator[tuple[str, str, bool]]:
    """Each node that stands behind one that takes it or waits for it, that one, and whether it only waits."""
    places = {node.name: place for place, node in enumerate(definition.node_def)}
    for node in definition.node_def:
        for tensor in node.input:
            name = fd.node_of(tensor)
            if places.get(name, -1) > places[node.name]:
                yield name, node.name, tensor.startswith("^")


def _may_not_run(definition: Any) -> bool:
    """Whether some of its nodes may lie in a branch that is not taken: what waits for one would not run either."""
    return any(node.op in BRANCHING for node in definition.node_def)
