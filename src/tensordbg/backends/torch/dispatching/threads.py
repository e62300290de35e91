"""Knows of each thread the modules that run, and the node of autograd."""

from __future__ import annotations

import itertools
import sys
import threading
import traceback
from types import FrameType
from typing import Any

from tensordbg.backends.torch.dispatching.makers import NOBODY
from tensordbg.backends.torch.dispatching.operations import Operation
from tensordbg.backends.torch.module_frames import calls_module

SOME_GRADIENT = -2
"""In place of the forward operation's site: it is not known."""

_NEAR = 8
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


class ModuleCalls:
    """The modules that are being called, by their numbers.

    A call may end without a word, by an exception that is no `Exception`, or while no hook is set: its frame tells.
    """

    def __init__(self) -> None:
        self._under_way: list[tuple[int, int]] = []
        """The number of each, and the identity of the frame that calls it, 0 where that isn't known."""

    def __bool__(self) -> bool:
        return bool(self._under_way)

    def innermost(self) -> int:
        """The number of the innermost, -1 where there is none."""
        return self._under_way[-1][0] if self._under_way else -1

    def drop_ended(self) -> None:
        """Takes those out that are not around the call that begins, asked in its hook."""
        calling = _calling_frame()
        if calling is None or not self._under_way:
            return
        around = {id(frame) for frame, _ in traceback.walk_stack(calling.f_back)}
        while self._under_way and self._under_way[-1][1] and self._under_way[-1][1] not in around:
            self._under_way.pop()

    def begin(self, number: int) -> None:
        """A call begins, in its hook."""
        frame = _calling_frame()
        self._under_way.append((number, id(frame) if frame is not None else 0))

    def end(self) -> int:
        """A call has ended, in its hook; gives its number, -1 where its beginning was not seen."""
        frame = _calling_frame()
        for place in reversed(range(len(self._under_way))):
            number, begun = self._under_way[place]
            if frame is None or begun in (0, id(frame)):
                del self._under_way[place:]
                return number
        return -1


def _calling_frame() -> FrameType | None:
    """The frame that calls a module, a few callers up from its hook."""
    near = itertools.islice(traceback.walk_stack(sys._getframe(1)), _NEAR)  # noqa: SLF001
    return next((frame for frame, _ in near if calls_module(frame)), None)


class Thread(threading.local):
    """A thread."""

    def __init__(self) -> None:
        self.compiled = 0
        """How many calls of compiled graphs are under way."""
        self.updating = False
        """Whether an optimizer's step is."""
        self.root: Any = None
        """The outermost module that is being called."""
        self.modules = ModuleCalls()
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
