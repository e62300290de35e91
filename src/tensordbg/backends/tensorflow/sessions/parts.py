"""Divides what a session's run computes into graphs: that of the run, and of each loop the condition and the body.

Every operation, every argument of such a graph and every loop is given a site, in the order in which the program made
them, and each tensor is found again as the output of a site of the graph that takes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.sessions.loops import Loop, Loops
from tensordbg.model import NONE, TensorRef

_STACK = "StackV2"

TensorName = tuple[str, int]
"""An operation's name and the output."""


@dataclass(eq=False)
class Part:
    """One graph."""

    function: int
    runtime_name: str
    path: str
    """Of calls and loops in which it runs."""
    loop: Loop | None
    """The loop that it is the condition or the body of."""
    operations: list[Any] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    """Those that run in it."""
    arguments: list[int] = field(default_factory=list)
    """Sites of the loop's variables, then of its constants; of a run of what is fed."""


class Parts:
    """The graphs of one kind of run."""

    def __init__(self, operations: list[Any], feeds: tuple[TensorName, ...], first_function: int) -> None:
        """Divides the operations, in the order in which they were made; the functions are numbered from the first."""
        self.loops = Loops(operations)
        self._feeds = {feed: place for place, feed in enumerate(feeds)}
        number = first_function + 2 * len(self.loops.all)
        self.root = Part(number, f"session_run_{number}", "", None)
        self._conditions: dict[Loop, Part] = {}
        self._bodies: dict[Loop, Part] = {}
        self._sites: dict[str, int] = {}
        self._loop_sites: dict[Loop, int] = {}
        # An inner loop is numbered before the one around it, which calls it.
        for place, loop in enumerate(self.loops.all):
            self._add_loop(loop, number - 2 * (place + 1))
        self._operations = [operation for operation in operations if not self.loops.is_machinery(operation)]
        for operation in self._operations:
            self.part_of(operation).operations.append(operation)

    @property
    def all(self) -> list[Part]:
        """All graphs by their functions' numbers; the run's own is the last."""
        inner = [*self._conditions.values(), *self._bodies.values()]
        return sorted([*inner, self.root], key=lambda part: part.function)

    @property
    def site_count(self) -> int:
        """How many sites there are."""
        arguments = sum(len(loop.enters) + len(loop.constants) for loop in self.loops.all)
        return len(self._feeds) + len(self._operations) + len(self.loops.all) + 2 * arguments

    def number_sites(self, first: int) -> None:
        """Numbers all sites, from `first`."""
        self.root.arguments.extend(range(first, first + len(self._feeds)))
        free = first + len(self._feeds)
        beginnings = {min(enter._id for enter in [*loop.enters, *loop.constants]): loop for loop in self.loops.all}  # noqa: SLF001
        made: dict[int, Any] = {operation._id: operation for operation in self._operations}  # noqa: SLF001
        for number in sorted({*beginnings, *made}):
            if number in beginnings:
                loop = beginnings[number]
                self._loop_sites[loop] = free
                free += 1
                for part in (self._conditions[loop], self._bodies[loop]):
                    count = len(loop.enters) + len(loop.constants)
                    part.arguments.extend(range(free, free + count))
                    free += count
            else:
                self._sites[made[number].name] = free
                free += 1

    def site_of(self, operation: Any) -> int:
        """The site of an operation that is no machinery of a loop."""
        return self._sites[operation.name]

    def site_named(self, name: str) -> int:
        """The site of a name, `NONE` where it has none."""
        return self._sites.get(name, NONE)

    def loop_site(self, loop: Loop) -> int:
        """The site of a loop in the graph around it."""
        return self._loop_sites[loop]

    def condition(self, loop: Loop) -> Part:
        """The graph that says whether there is one more iteration."""
        return self._conditions[loop]

    def body(self, loop: Loop) -> Part:
        """The graph of an iteration."""
        return self._bodies[loop]

    def part_of(self, operation: Any) -> Part:
        """The graph that an operation is in."""
        loop = self.loops.of(operation)
        if loop is None:
            return self.root
        return self._conditions[loop] if operation.name in loop.asked else self._bodies[loop]

    def reference(self, tensor: Any, part: Part) -> TensorRef:
        """A tensor as a graph that takes it knows it."""
        operation = tensor.op
        fed = self._feeds.get((operation.name, tensor.value_index))
        if fed is not None:
            return TensorRef(self.root.arguments[fed], 0)
        left = self.loops.exited(operation)
        if left is not None:
            return TensorRef(self._loop_sites[left[0]], left[1])
        if part.loop is not None and self.loops.of(operation) is part.loop:
            if operation in part.loop.constants:
                return TensorRef(part.arguments[len(part.loop.enters) + part.loop.constants.index(operation)], 0)
            variable = part.loop.variable_of(operation)
            if variable is not None and self.loops.is_machinery(operation):
                return TensorRef(part.arguments[variable], 0)
        if operation.name in self._sites and self.part_of(operation) is part:
            return TensorRef(self._sites[operation.name], tensor.value_index)
        return TensorRef(NONE, 0)

    def results(self, part: Part) -> tuple[TensorRef, ...]:
        """The results of a loop's condition or body."""
        loop = part.loop
        if loop is None or loop.condition is None:
            return ()
        if part is self._conditions[loop]:
            return (self.reference(loop.condition.inputs[0], part),)
        count = len(loop.enters)
        turned = (
            self.reference(loop.nexts[variable].inputs[0], part) if variable in loop.nexts else TensorRef(NONE, 0)
            for variable in range(count)
        )
        constants = zip(loop.constants, part.arguments[count:], strict=True)
        return (*turned, *(self._kept(loop, enter, site) for enter, site in constants))

    def _kept(self, loop: Loop, enter: Any, argument: int) -> TensorRef:
        """What an iteration makes of a constant: of a stack one that holds one more value."""
        push = loop.pushes.get(enter.name)
        return TensorRef(argument, 0) if push is None else TensorRef(self._sites[push.name], 0)

    def loop_inputs(self, loop: Loop, part: Part) -> tuple[TensorRef, ...]:
        """The tensors that a loop in a graph takes; for a stack that another loop filled, what that loop made of it."""
        return tuple(self._loop_input(tensor, loop, part) for tensor in self.tensors_taken(loop))

    def _loop_input(self, tensor: Any, loop: Loop, part: Part) -> TensorRef:
        filled = self.loops.kept_by(tensor.op) if tensor.op.type == _STACK else None
        if filled is None or filled[0] is loop:
            return self.reference(tensor, part)
        other, place = filled
        return TensorRef(self._loop_sites[other], len(other.enters) + place)

    def tensors_taken(self, loop: Loop) -> Iterator[Any]:
        """The tensors that a loop takes."""
        for enter in [*loop.enters, *loop.constants]:
            yield enter.inputs[0]

    def _add_loop(self, loop: Loop, function: int) -> None:
        around = self.root if loop.outer is None else self._bodies[loop.outer]
        around.loops.append(loop)
        path = f"{around.path}/{loop.name}".lstrip("/")
        name = f"{around.runtime_name}/{loop.name}"
        self._conditions[loop] = Part(function, f"{name}/cond", f"{path}/cond", loop)
        self._bodies[loop] = Part(function + 1, f"{name}/body", f"{path}/body", loop)


def type_name(tensor: Any) -> str:
    """The trace's name of a tensor's type; a stack is a list of tensors, whatever it is to TensorFlow."""
    if tensor.op.type == _STACK:
        return "variant"
    return dtypes.name_of(tensor.dtype.as_datatype_enum)
