"""Knows of each thread the modules that run, and the node of autograd."""

from __future__ import annotations

import threading
from typing import Any

from tensordbg.backends.torch.dispatching.makers import NOBODY
from tensordbg.backends.torch.dispatching.operations import Operation

SOME_GRADIENT = -2
"""In place of the forward operation's site: it is not known."""

_FORWARDS = 65536
_MOST_ALIKE = 3


class Node:
    """A node of autograd that runs."""

    def __init__(self, key: tuple[Any, ...], forward: int, variable: Any) -> None:
        self.key = key
        self.forward = forward
        """The site of the operation that it differentiates."""
        self.variable = variable
        """The tensor whose gradient it adds up, else None."""
        self.owner = NOBODY
        self._done: list[Operation] = []

    def place(self, operation: Operation) -> int:
        """Which of the operations of its kind one is, of those that it runs: the gradients of two operands differ."""
        before = self._done.count(operation)
        if before < _MOST_ALIKE:
            self._done.append(operation)
        return before - 1


class Thread(threading.local):
    """A thread."""

    def __init__(self) -> None:
        self.compiled = 0
        """How many calls of compiled graphs are under way."""
        self.updating = False
        """Whether an optimizer's step is."""
        self.root: Any = None
        """The outermost module that is being called."""
        self.modules: list[int] = []
        """The numbers of those that are."""
        self.node: Node | None = None
        self.calls: list[Any] = []
        """The calls of compiled graphs, see `compiled.py`."""


class Forwards:
    """Which site computed what a node of autograd differentiates, by thread and sequence number."""

    def __init__(self) -> None:
        self._sites: dict[tuple[int, int], int] = {}
        self._main = threading.main_thread().ident or 0

    def next_number(self) -> int:
        """That of the node that is made next, in this thread."""
        from torch._C._autograd import _get_sequence_nr

        return int(_get_sequence_nr())

    def note(self, site: int) -> None:
        """A site has computed what the node made last differentiates, unless one was first."""
        if len(self._sites) >= _FORWARDS:
            self._sites.clear()
        self._sites.setdefault((threading.get_ident(), self.next_number() - 1), site)

    def has(self) -> bool:
        """Whether that is noted already."""
        return (threading.get_ident(), self.next_number() - 1) in self._sites

    def node(self, before: Node | None) -> Node | None:
        """The node that runs in this thread, None where autograd does not."""
        from torch._C import _current_autograd_node

        running: Any = _current_autograd_node()
        if running is None:
            return None
        sequence = int(running._sequence_nr())  # noqa: SLF001  it has no public name
        variable = getattr(running, "variable", None)
        key = (sequence, running.name(), id(variable))
        if before is not None and before.key == key:
            return before
        here = self._sites.get((threading.get_ident(), sequence))
        found = self._sites.get((self._main, sequence), SOME_GRADIENT) if here is None else here
        return Node(key, found, variable)
