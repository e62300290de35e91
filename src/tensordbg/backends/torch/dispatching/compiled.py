"""Records the calls of graphs that torch.compile has made, see `observer/compiled_calls.h`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensordbg.backends.torch.dispatching.looking import Call, Looking
from tensordbg.backends.torch.dispatching.makers import Maker
from tensordbg.backends.torch.dispatching.operations import Argument, Operation
from tensordbg.backends.torch.dispatching.places import About, Places, stack_of_thread
from tensordbg.backends.torch.dispatching.table import LogTable
from tensordbg.backends.torch.dispatching.tensors import append, has_elements
from tensordbg.backends.torch.dispatching.threads import Node
from tensordbg.recording.log import input_reference

_NO_ARGUMENTS: tuple[Argument, ...] = ()
_CALL = Operation("", _NO_ARGUMENTS, 0, *(False,) * 10, number=0)
OnBad = Callable[[int, int, int], None]
Entered = tuple[int, int, list[int]]


@dataclass
class _Under:
    """A call that is under way."""

    execution: int = -1
    bad: set[int] = field(default_factory=set)
    """site << 16 | slot."""


class CompiledCalls:
    """The calls of compiled graphs in all threads."""

    def __init__(self, log: LogTable, looking: Looking, places: Places) -> None:
        self._log = log
        self._looking = looking
        self._places = places
        self.on_bad: OnBad | None = None

    def enter(self, inputs: Sequence[Any], recorded: object) -> Entered | None:
        """(call site, step, references of the inputs), None where it is not recorded; `leave` must follow."""
        looking, thread = self._looking, self._looking.thread
        thread.calls.append(_Under())
        thread.compiled += 1
        if not recorded or looking.step < 0:
            return None
        node, thread.node = thread.node, Node((), -1, None)  # where it is called is no gradient of anything
        try:
            call = Call(_CALL, stack_of_thread())
            site = self._places.site("", call.stack, thread, About())
            references = [self._reference(each, call, place) for place, each in enumerate(inputs)]
        finally:
            thread.node = node
        return None if site < 0 else (site, looking.step, references)

    def _reference(self, tensor: Any, call: Call, place: int) -> int:
        if not hasattr(tensor, "untyped_storage") or not has_elements(tensor):
            return -1
        known = self._looking.makers.find(tensor)
        return (self._looking.enter(tensor, call, place) if known.from_outside else known).maker.reference

    def run(self, execution: int) -> None:
        """Takes what the innermost call stores from now on as of this execution."""
        calls = self._looking.thread.calls
        if calls:
            calls[-1].execution = execution

    def probe(self, site: int, slot: int, tensor: Any) -> None:
        """A kernel has stored it."""
        if self.probe_again(site, slot, tensor):
            under = self._looking.thread.calls[-1]
            under.bad.add(site << 16 | slot)
            if self.on_bad is not None:
                self.on_bad(under.execution, site, slot)

    def probe_again(self, site: int, slot: int, tensor: Any) -> bool:
        """Records what an operation of the innermost call gave; returns whether it is known not to be finite."""
        calls = self._looking.thread.calls
        if not calls or calls[-1].execution < 0 or not has_elements(tensor):
            return False
        return append(self._log, tensor, (calls[-1].execution, site, slot))

    def leave(self, results: Sequence[Any] | None, keys: Sequence[int]) -> None:
        """The innermost call is over; of each result what made it, site << 16 | slot, or -1 for an input."""
        thread = self._looking.thread
        if not thread.calls:
            return
        under = thread.calls.pop()
        thread.compiled -= 1
        if under.execution < 0 or results is None:
            return
        for place, (tensor, key) in enumerate(zip(results, keys, strict=False)):
            if key >= 0 and hasattr(tensor, "untyped_storage") and has_elements(tensor):
                maker = Maker(input_reference(under.execution, place), key >> 16, key in under.bad)
                self._looking.makers.made(tensor, maker)
