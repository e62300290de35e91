"""Notes what each step runs, by an observer in C++ that is built at its first use; see `steplog/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from tensordbg.backends.torch.building import STEPLOG, BuildError, build, installed, load
from tensordbg.recording.catalog import RawFrame
from tensordbg.recording.saying import say


class At(NamedTuple):
    """A tensor as a way to look at a memory of the step."""

    memory: int
    dtype: int
    """PyTorch's number of it."""
    offset: int
    """In elements."""
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


class Content(NamedTuple):
    """The bytes of a memory that came from outside."""

    low: int = 0
    """The first byte of it that the step used."""
    elements: bytes = b""
    written: bool = False
    """Whether it was written since, past what the log notes."""
    device: str = "cpu"


class GeneratorState(NamedTuple):
    """The state of a generator of random numbers."""

    device: str
    content: bytes


class Noted(NamedTuple):
    """All that a step has done."""

    operations: Sequence[tuple[Any, ...]]
    """Name, overload, arguments, results, stack, forward operation, node of autograd, autocast, state, grad; see
    `steplog.cpp`."""
    memories: Sequence[Content | None]
    """None of those that the step has made."""
    firsts: Sequence[tuple[Any, ...] | None]
    """How each was looked at first."""
    states: Sequence[GeneratorState]
    """Before each operation that draws."""
    stacks: Mapping[int, Sequence[RawFrame]]
    """The innermost frame first."""
    trouble: str
    """Why the step can't be run again; empty where it can."""
    arrived: Sequence[int] = ()
    """The memories that hold what came from other processes."""
    notes: Sequence[str] = ()
    """What else there is to say of the step."""
    uncompiled: bool = False
    """Whether some operations ran in compiled code."""


class StepLog:
    """The log of the steps of this process."""

    def __init__(self) -> None:
        """Notes nothing yet."""
        self._module: ModuleType | None = None

    def start(self, fail: Callable[[str], None]) -> None:
        """Prepares; builds what it needs where it is not there yet, and says so where that can't be."""
        try:
            self._module = load(build(installed(), STEPLOG))
        except (BuildError, ImportError) as error:
            say(f"warning: captures can be shown and not replayed: {error}; `tdbg build torch` tries again")
            return
        self._module.start(fail)

    def stop(self) -> None:
        """Notes nothing from now on."""
        if self._module is not None:
            self._module.stop()
            self._module = None

    def begin(self) -> None:
        """Takes this for where a step begins, and forgets what was before."""
        if self._module is not None:
            self._module.begin()

    def rest(self) -> None:
        """Takes this for where a step has ended: evaluations up to the next are not noted."""
        if self._module is not None:
            self._module.rest()

    def sleep(self) -> None:
        """Notes nothing of any thread until a step ends or begins, at no cost."""
        if self._module is not None:
            self._module.sleep()

    def wake(self) -> None:
        """Ends `sleep`."""
        if self._module is not None:
            self._module.wake()

    def look_for_bad(self, tensors: Sequence[Any]) -> tuple[bool, Sequence[Any]]:
        """Whether no number is infinite or NaN in those that can be read without PyTorch, and the others."""
        if self._module is None:
            return True, tensors
        finite, others = self._module.look_for_bad(tensors)
        return bool(finite), others

    def pause(self) -> None:
        """Notes nothing of this thread up to `resume`."""
        if self._module is not None:
            self._module.pause()

    def resume(self) -> None:
        """Ends one `pause`."""
        if self._module is not None:
            self._module.resume()

    def enter_compiled(self, graph: int, given: list[Any], written: set[int]) -> bool:
        """Notes the call of a compiled graph as one, and nothing of this thread up to `leave_compiled`.

        Args:
            graph: Its number.
            given: Tensors and whole numbers.
            written: Places of what it writes.

        Returns:
            Whether it is noted; `leave_compiled` must not be called where it isn't.
        """
        return self._module is not None and bool(self._module.enter_compiled(graph, given, written))

    def leave_compiled(self, results: tuple[Any, ...] | None) -> None:
        """Ends the call of a compiled graph, which has failed where there are no results."""
        if self._module is not None:
            self._module.leave_compiled(results)

    def use(self, tensor: Any) -> At | None:
        """Tells where a tensor lies in the memories; one that the step has not used counts as used from now on."""
        found = None if self._module is None else self._module.locate(tensor, True)
        return None if found is None else At(*found)

    def find(self, tensor: Any) -> At | None:
        """Tells where a tensor lies in the memories that the step has used, if it does."""
        found = None if self._module is None else self._module.locate(tensor, False)
        return None if found is None else At(*found)

    def take(self) -> Noted | None:
        """All that the step has done so far; None where nothing was noted."""
        if self._module is None:
            return None
        noted = Noted(*self._module.take())
        return noted._replace(
            memories=[None if each is None else Content(*each) for each in noted.memories],
            states=[GeneratorState(*each) for each in noted.states],
        )
