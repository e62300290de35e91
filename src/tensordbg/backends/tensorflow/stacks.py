"""Python stacks: of an eager operation, quickly, and of an operation in a graph, from TensorFlow."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import Any
from weakref import WeakKeyDictionary

from tensordbg.backends.tensorflow.generated import GeneratedCode
from tensordbg.backends.tensorflow.shared_stacks import SharedStacks
from tensordbg.backends.tensorflow.stack_keys import DEEPEST, FRAME_BYTES, StackKey, names_are_utf8
from tensordbg.model import NONE
from tensordbg.recording.catalog import Catalog, RawFrame

_OUTERMOST = 16
_CALLING = frozenset({"PyFunc", "EagerPyFunc", "PyFuncStateless"})
"""Operations that call Python."""
_REPEATED = 3
"""A line that calls itself over and over is kept so often."""


class Stacks:
    """Finds the trace's number of a stack."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: dict[StackKey, int] = {}
        # An identity is unique only while its object lives.
        self._alive: dict[int, CodeType] = {}
        self._generated = GeneratedCode()
        self._handed_out: WeakKeyDictionary[Any, RawFrame] = WeakKeyDictionary()
        self.shared = SharedStacks()

    def current(self, key: StackKey, frame: FrameType | None) -> int:
        """The number of the running stack, whose key is `stack_key(frame)`."""
        known = self._known.get(key)
        if known is None:
            # It may begin with a few frames of ours that the key leaves out.
            for _ in range(len(key) // FRAME_BYTES + _OUTERMOST):
                if frame is not None:
                    self._alive[id(frame.f_code)] = frame.f_code
                    frame = frame.f_back
            known = self._known[key] = self.here()
        return known

    def here(self) -> int:
        """The number of the running stack; slower than `current`, for what happens seldom."""
        return self._number(self.shared.plain()) if names_are_utf8(sys._getframe(1)) else NONE  # noqa: SLF001

    def note_handing_out(self, graph: Any, place: RawFrame | None) -> None:
        """Has what calls Python in a graph stand at the line of a generator, too, that it takes elements from."""
        if place is not None:
            self._handed_out[graph] = place

    def of_graph(self, graph: Any) -> dict[str, int]:
        """The number of the stack at which each operation of a graph was made, by the operation's name."""
        return self.of_operations(graph.get_operations())

    def of_operations(self, operations: Iterable[Any]) -> dict[str, int]:
        """The stacks of some operations."""
        memo: dict[Any, int] = {}
        found = {}
        for operation in operations:
            trace = operation.traceback
            if trace is None:
                # An argument's placeholder, or a graph that was loaded.
                continue
            number = self.shared.number(trace, self._number)
            # It can't even be hashed if the name of a file in it is not in UTF-8.
            with contextlib.suppress(RuntimeError):
                if number is None:
                    number = memo.get(trace)
                if number is None:
                    number = memo[trace] = self._number(trace)
                found[operation.name] = number
            if self._handed_out and operation.type in _CALLING and operation.graph in self._handed_out:
                found[operation.name] = self._number(trace, self._handed_out[operation.graph])
        return found

    def _number(self, trace: Any, *inner: RawFrame) -> int:
        try:
            frames = [(frame.filename, frame.lineno, frame.name) for part in _kept(trace) for frame in part]
        except RuntimeError:
            return NONE  # TensorFlow can't tell a stack in which the name of a file is not in UTF-8
        return self._catalog.stack((*self._generated.original(_shortened(frames)), *inner))


def _kept(trace: Any) -> tuple[Any, ...]:
    """The parts of a stack that are kept, outermost first."""
    if len(trace) <= DEEPEST:
        return (trace,)
    return trace[:_OUTERMOST], trace[len(trace) - DEEPEST + _OUTERMOST :]


def _shortened(frames: list[RawFrame]) -> tuple[RawFrame, ...]:
    """The frames without the repetitions of a line that calls itself."""
    return tuple(frame for k, frame in enumerate(frames) if k < _REPEATED or {frame} != {*frames[k - _REPEATED : k]})
