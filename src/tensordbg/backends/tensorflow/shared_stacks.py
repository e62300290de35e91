"""Has the operations of one line share one stack, so that reading where they were made costs nothing for each of them.

TensorFlow takes a stack of its own for each operation of a graph, as a few numbers. Whoever looks at it, even to hash
it, has it spelled out, 11 KB for each operation, which stay for as long as the runtime holds the function. Here the
operations that are made at one place are given one stack, and what is looked at is another one, which goes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow.internals import tf_stack
from tensordbg.backends.tensorflow.stack_keys import DEEPEST, FRAME_BYTES, StackKey, names_are_utf8, stack_key
from tensordbg.model import NONE


@dataclass
class _Shared:
    """One place at which operations are made."""

    given: Any
    """The stack that the operations are given; nobody of ours looks at it."""
    own: Any
    """One that is looked at once."""
    number: int | None = None


class SharedStacks:
    """The stacks of the operations that were made since it began."""

    def __init__(self) -> None:
        self.plain: Callable[..., Any] = tf_stack.extract_stack
        """TensorFlow's way of taking a stack."""
        self._more = 0
        self._by_key: dict[StackKey, _Shared] = {}
        self._by_trace: dict[int, _Shared] = {}

    def begin(self) -> None:
        """Has operations share their stacks from now on."""
        # Our frames are left out of stacks: before those are counted that TensorFlow skips, or after.
        self._more = int(names_are_utf8(sys._getframe()) and len(self.plain(2)) == len(self.plain(1)))  # noqa: SLF001
        tf_stack.extract_stack = self._extract

    def end(self) -> None:
        """Forgets them; operations are given stacks of their own again."""
        tf_stack.extract_stack = self.plain
        self._by_key.clear()
        self._by_trace.clear()

    def number(self, trace: Any, number_of: Callable[[Any], int]) -> int | None:
        """The number of an operation's stack by `number_of`, which is asked once; None if it is not shared."""
        shared = self._by_trace.get(id(trace))
        if shared is None:
            return None
        if shared.number is None:
            shared.number, shared.own = number_of(shared.own), None
        return shared.number

    def _extract(self, stacklevel: int = 1) -> Any:
        frame = sys._getframe(stacklevel)  # noqa: SLF001  the one that it leads to is skipped by TensorFlow
        key = stack_key(frame)
        if len(key) == FRAME_BYTES * DEEPEST:
            # Others may be equal to it so far.
            return self.plain(stacklevel + self._more)
        shared = self._by_key.get(key)
        if shared is None:
            # The stacks hold the code objects, by whose identities they are known.
            given, own = self.plain(stacklevel + self._more), self.plain(stacklevel + self._more)
            shared = self._by_key[key] = _Shared(given, own, None if names_are_utf8(frame) else NONE)
            self._by_trace[id(shared.given)] = shared
        return shared.given
