"""A log of one step's eager computation, from which a graph is written where the step is bad.

A tensor that an operation of the step made is known by its number alone, so it lives no longer than it would. Held are
the tensors that came in from outside, the handles of variables, and what variables were before an early write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

LARGEST = 200_000
"""A step with more operations is not kept."""

_LEFT_OUT = ("Iterator", "Dataset", "PyFunc", "LookupTable", "VarHandleOp", "VarIsInitializedOp", "DestroyResourceOp")
"""Parts of the names of operations that can't be run again elsewhere; what they put out counts as from outside."""


@dataclass(frozen=True)
class Made:
    """A tensor that an operation of the step made."""

    operation: int
    slot: int


@dataclass(frozen=True)
class Differentiated:
    """The operation whose gradient another computes, as the tape knew it."""

    op_type: str
    outputs: tuple[Made, ...]
    """Those that its gradient needs; perhaps none."""
    inputs: tuple[Any, ...]
    """Likewise, each as an operation's inputs are."""


@dataclass(frozen=True)
class LoggedOperation:
    """One operation, or the call of a function."""

    op_type: str
    """Of a call the function's name in the runtime."""
    inputs: tuple[Any, ...]
    """Each a `Made`, a tensor or a value from outside, a variable, or a tuple of these."""
    attributes: tuple[Any, ...]
    """Names and values in turn."""
    flat: bool
    """Whether inputs that belong to one list stand by themselves, and attributes that follow from them are given."""
    stack: int
    gradient_of: Differentiated | None = None
    """None of what is no gradient, or of which it isn't known."""


@dataclass(frozen=True)
class OldValue:
    """The value of a variable before the step wrote it."""

    handle: Any
    value: Any


@dataclass
class StepLog:
    """The operations of a step so far, in the program's order."""

    batch: tuple[Any, ...] = ()
    """Tensors that are the step's input whether or not it takes them."""
    operations: list[LoggedOperation] = field(default_factory=list)
    old: dict[int, OldValue] = field(default_factory=dict)
    """By the number of the handle."""
    made: dict[int, Made] = field(default_factory=dict)
    """By the number of the tensor."""

    @property
    def whole(self) -> bool:
        """Whether nothing had to be dropped."""
        return len(self.operations) < LARGEST

    def add(self, operation: LoggedOperation, result: Any) -> None:
        """Adds what has just been run, with what it put out."""
        if not self.whole or any(part in operation.op_type for part in _LEFT_OUT):
            return
        number = len(self.operations)
        self.operations.append(operation)
        for slot, tensor in enumerate(tensors_in(result)):
            self.made[tensor._id] = Made(number, slot)  # noqa: SLF001  described in internals.py

    def known(self, value: Any) -> Any:
        """An input as it is kept."""
        if hasattr(value, "_datatype_enum"):
            return self.made.get(value._id, value)  # noqa: SLF001
        if isinstance(value, (list, tuple)):
            return tuple(self.known(each) for each in value)
        return value

    def forward_operations(self) -> dict[int, int]:
        """The numbers of operations whose gradients others compute, by the numbers of those; where that is certain."""
        takers: dict[tuple[str, Made | int], set[int]] = {}
        for number, each in enumerate(self.operations):
            for value in _leaves(each.inputs):
                takers.setdefault((each.op_type, _identity(value)), set()).add(number)
        found = {}
        for number, each in enumerate(self.operations):
            told = each.gradient_of
            if told is None:
                continue
            if told.outputs:
                found[number] = told.outputs[0].operation
                continue
            taking = [takers.get((told.op_type, _identity(value)), set()) for value in told.inputs]
            fitting = {taker for taker in set.intersection(*taking) if taker < number} if taking else set()
            if len(fitting) == 1:
                found[number] = fitting.pop()
        return found

    def keep_old(self, handle: Any, read: Callable[[Any], Any]) -> None:
        """Keeps what a variable is, before its first write in the step."""
        if handle._id not in self.old:  # noqa: SLF001
            value = read(handle)
            if value is not None:
                self.old[handle._id] = OldValue(handle, value)  # noqa: SLF001


def _leaves(inputs: Sequence[Any]) -> Iterator[Any]:
    """The inputs one by one that are tensors."""
    for each in inputs:
        if isinstance(each, tuple):
            yield from _leaves(each)
        elif isinstance(each, Made) or hasattr(each, "_datatype_enum"):
            yield each


def _identity(value: Any) -> Made | int:
    return value if isinstance(value, Made) else int(value._id)  # noqa: SLF001


def tensors_in(result: Any) -> Sequence[Any]:
    """The tensors that an operation gives: none, one, several, or lists of them."""
    if hasattr(result, "_datatype_enum"):
        return (result,)
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in tensors_in(part)]
    return ()
