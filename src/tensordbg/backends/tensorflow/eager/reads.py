"""Notes which bad eager values the program reads; what nothing reads is no result of it.

All that asks an eager tensor for its elements passes one of four places: `_numpy`, which `numpy`, `print`, `float`,
`bool` and their like call; the buffer protocol, by which NumPy takes them; DLPack; and the copy to another device,
which bears no mark of ours. Only bad tensors are waited for, as long as they live and until they are read once: where
all numbers are finite, the program pays for looking into an empty dictionary.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

from tensordbg.backends.tensorflow.eager.buffer_reads import unwatch_buffers, watch_buffers
from tensordbg.backends.tensorflow.eager.entries import Entries
from tensordbg.backends.tensorflow.internals import eager_tensors, pywrap_tfe
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.stack_keys import stack_key
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.recording.recorder import Recorder

_MOST_OF_SITE = 100
"""So many reads of each tensor of a site are noted; then it counts as one that is always read."""
_MOST = 20_000
"""So many in all; a program that reads more is not told what it left unread."""

_METHODS = ("_numpy", "_copy_nograd")

_Awaited = tuple[weakref.ref[Any], int, int, int]


class Reads:
    """The hooks for one recording at a time."""

    def __init__(self, entries: Entries, stacks: Stacks) -> None:
        self._entries = entries
        self._stacks = stacks
        self._recorder: Recorder
        self._replaced = ReplacedAttributes()
        self._awaited: dict[int, _Awaited] = {}
        self._read: list[tuple[int, int, int]] = []
        self._counts: dict[tuple[int, int], int] = {}
        self._overflowed = False

    def install(self, recorder: Recorder) -> None:
        """Looks on from now on."""
        self._recorder = recorder
        self._awaited.clear()
        self._read.clear()
        self._counts.clear()
        self._overflowed = False
        _, base = eager_tensors()
        for name in _METHODS:
            self._replaced.replace(base, name, self._reading)
        self._replaced.replace(pywrap_tfe, "TFE_ToDlpackCapsule", self._reading)
        if not watch_buffers(self._awaited, self._note):
            self._overflowed = True

    def uninstall(self) -> None:
        """Takes the hooks out again, and says in the trace what was read and what may still be."""
        if not self._replaced:
            return
        unwatch_buffers(self._awaited)
        self._replaced.restore()
        held = [(execution, slot) for _, execution, slot, _ in self._awaited.values()]
        self._awaited.clear()
        # What is read between recorded steps, or at a debugger's prompt, is not known.
        known = self._recorder.records_all and not self._overflowed and len(held) <= _MOST
        always = [place for place, count in self._counts.items() if count >= _MOST_OF_SITE]
        self._recorder.fact({"reads": {"values": self._read, "always": always, "held": held} if known else None})

    def expect(self, tensor: Any, execution: int, slot: int, site: int) -> None:
        """Waits for a bad tensor to be read."""
        if not self._replaced or self._overflowed or self._counts.get((site, slot), 0) >= _MOST_OF_SITE:
            return
        key, awaited = id(tensor), self._awaited
        awaited[key] = (weakref.ref(tensor, lambda _: awaited.pop(key, None)), execution, slot, site)

    def _note(self, tensor: Any) -> None:
        with self._recorder.guard("noting what is read"):
            if self._recorder.active and not self._entries.bypassed:
                self._note_read(tensor, sys._getframe(1))  # noqa: SLF001

    def _note_read(self, tensor: Any, frame: FrameType) -> None:
        known = self._awaited.pop(id(tensor), None)
        if known is None:
            return
        _, execution, slot, site = known
        self._counts[site, slot] = self._counts.get((site, slot), 0) + 1
        if len(self._read) >= _MOST:
            self._overflowed = True
            return
        stack = self._stacks.current(stack_key(frame), frame)
        self._recorder.catalog.use_stack(stack)
        self._read.append((execution, slot, stack))

    def _reading(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        awaited, note = self._awaited, self._note

        def reading(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if awaited:
                note(tensor)
            return plain(tensor, *args, **kwargs)

        return reading
