"""Finds the loops of a TensorFlow 1 graph, which are made of Enter, Merge, Switch, NextIteration and Exit operations.

They are described as loops of TensorFlow 2 are: a `While` operation in the graph around it, a condition and a body that
are functions of the loop's variables. The structure of the graph alone tells, so imported loops are found too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_ENTER = ("Enter", "RefEnter")
_MERGE = ("Merge", "RefMerge")
_SWITCH = ("Switch", "RefSwitch")
_EXIT = ("Exit", "RefExit")
_NEXT = ("NextIteration", "RefNextIteration")
_CONTEXT = "/while_context"


@dataclass(eq=False)
class Loop:
    """One loop; `None` as a loop stands for the graph outside of all."""

    name: str
    outer: Loop | None
    enters: list[Any] = field(default_factory=list)
    """Those of the variables that change from iteration to iteration, in order."""
    constants: list[Any] = field(default_factory=list)
    """The Enter operations of what stays the same."""
    merges: dict[str, int] = field(default_factory=dict)
    """Names of the variables' Merge operations, with the position of the variable."""
    nexts: dict[int, Any] = field(default_factory=dict)
    """The NextIteration operation of each variable."""
    condition: Any = None
    """The LoopCond operation."""
    pushes: dict[str, Any] = field(default_factory=dict)
    """What keeps values for the gradient on a stack, by the name of the Enter operation of the stack."""
    asked: set[str] = field(default_factory=set)
    """Names of the operations that compute the condition; all others in the loop are its body's."""

    def variable_of(self, operation: Any) -> int | None:
        """The position of the variable whose Merge, or Switch behind that, an operation is."""
        if operation.type in _SWITCH:
            operation = operation.inputs[0].op
        return self.merges.get(operation.name)


class Loops:
    """Which operations are in which loop."""

    def __init__(self, operations: Iterable[Any]) -> None:
        """Goes through operations in the order in which they were made."""
        self.all: list[Loop] = []
        self._by_name: dict[str, Loop] = {}
        self._loop_of: dict[str, Loop | None] = {}
        self._machinery: set[str] = set()
        waiting = members = list(operations)
        self._names = {operation.name for operation in members}
        while waiting:
            left = [operation for operation in waiting if not self._place(operation)]
            if len(left) == len(waiting):
                break
            waiting = left
        for operation in members:
            self._note(operation)
        for loop in self.all:
            loop.asked = self._asked(loop)

    def of(self, operation: Any) -> Loop | None:
        """The loop in which an operation's outputs are."""
        return self._loop_of.get(operation.name)

    def kept_by(self, stack: Any) -> tuple[Loop, int] | None:
        """The loop that keeps values on a stack, and the position of the stack among its constants."""
        for loop in self.all:
            for place, enter in enumerate(loop.constants):
                if enter.name in loop.pushes and enter.inputs[0].op is stack:
                    return loop, place
        return None

    def is_machinery(self, operation: Any) -> bool:
        """Whether an operation only makes a loop a loop."""
        return operation.name in self._machinery

    def exited(self, operation: Any) -> tuple[Loop, int] | None:
        """The loop that an Exit operation leaves, and with which variable."""
        if operation.type not in _EXIT:
            return None
        switch = operation.inputs[0].op
        loop = self.of(switch)
        variable = None if loop is None else loop.variable_of(switch)
        return None if loop is None or variable is None else (loop, variable)

    def _place(self, operation: Any) -> bool:
        """Finds the loop of an operation: that of any input. False if none of them has been placed yet."""
        # What is fed is not among the operations, and lies outside of all loops.
        makers = [maker for maker in _makers(operation) if maker.name in self._names]
        placed = [self._loop_of[maker.name] for maker in makers if maker.name in self._loop_of]
        if makers and not placed:
            return False
        loop = placed[0] if placed else None
        if operation.type in _ENTER:
            loop = self._entered(operation, loop)
        elif operation.type in _EXIT and loop is not None:
            loop = loop.outer
        self._loop_of[operation.name] = loop
        return True

    def _entered(self, operation: Any, outer: Loop | None) -> Loop:
        name = operation.get_attr("frame_name").decode()
        loop = self._by_name.get(name)
        if loop is None:
            loop = self._by_name[name] = Loop(name.removesuffix(_CONTEXT), outer)
            self.all.append(loop)
        (loop.constants if operation.get_attr("is_constant") else loop.enters).append(operation)
        return loop

    def _note(self, operation: Any) -> None:
        """Notes what makes a loop a loop."""
        loop = self.of(operation)
        kind = operation.type
        machinery = kind in _ENTER or kind in _NEXT or kind in _EXIT or kind == "LoopCond"
        if loop is not None and kind in _MERGE and operation.inputs[0].op.type in _ENTER:
            variable = loop.enters.index(operation.inputs[0].op)
            loop.merges[operation.name] = variable
            loop.nexts[variable] = operation.inputs[1].op
            machinery = True
        elif loop is not None and kind == "LoopCond":
            loop.condition = operation
        elif loop is not None and kind == "StackPushV2":
            loop.pushes[operation.inputs[0].op.name] = operation
        elif loop is not None and kind in _SWITCH:
            machinery = operation.inputs[1].op.type == "LoopCond"
        if machinery:
            self._machinery.add(operation.name)

    def _asked(self, loop: Loop) -> set[str]:
        asked: set[str] = set()
        waiting = [] if loop.condition is None else _makers(loop.condition)
        while waiting:
            operation = waiting.pop()
            inside = self.of(operation) is loop and not self.is_machinery(operation)
            if inside and operation.name not in asked:
                asked.add(operation.name)
                waiting.extend(_makers(operation))
        return asked


def _makers(operation: Any) -> list[Any]:
    return [*(tensor.op for tensor in operation.inputs), *operation.control_inputs]
