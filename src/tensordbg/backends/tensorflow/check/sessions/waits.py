"""Says which checks must be done before what takes a tensor may run: those of what it waits for without taking it.

What takes a tensor waits for that tensor's check by itself. A control edge leads past the check: an update that waits
for another gradient to be computed, as TensorFlow's optimizers have it, would be done before that one has been looked
at. So the check of a tensor that goes into the update waits too. And what is read of a variable by reference is the
variable itself: it is looked at before an update that the program has made after the reading, not in the middle of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from tensordbg.backends.tensorflow.sessions.parts import Parts
from tensordbg.backends.tensorflow.sessions.variables import REFERENCE_VARIABLES, puts_out_references
from tensordbg.backends.tensorflow.variables import writes

_MOST = 64
"""Of so many others a check waits for; the earliest have long been done."""

_MERGES = frozenset({"Merge", "RefMerge"})
_SWITCHES = frozenset({"RefSwitch", "Switch"})
# Grappler makes one of several of them, or they don't hold the elements themselves.
_NO_TENSORS = REFERENCE_VARIABLES | {"Const", "VarHandleOp"}
_REFERENCE_WRITERS = ("Apply", "SparseApply", "Scatter")


def waits(operations: list[Any], parts: Parts, checked: AbstractSet[str]) -> dict[str, set[str]]:
    """Names of operations, each with those whose checks come before what takes its outputs.

    Args:
        operations: What a run needs, in the order in which it was made.
        parts: Knows the loops; in them nothing is said.
        checked: Names of the operations that are checked.
    """
    return _Waits(operations, parts, checked).found


class _Waits:
    def __init__(self, operations: list[Any], parts: Parts, checked: AbstractSet[str]) -> None:
        self.found: dict[str, set[str]] = {}
        self._checked = checked
        self._pending: dict[str, set[str]] = {}
        self._outside = {operation.name for operation in operations if parts.loops.of(operation) is None}
        self._perhaps: set[str] = set()
        self._readers: dict[str, set[str]] = {}
        for operation in operations:
            if operation.name in self._outside:
                self._visit(operation)

    def _visit(self, operation: Any) -> None:
        if self._may_not_run(operation):
            self._perhaps.add(operation.name)
        if operation.type in _MERGES:
            return
        pending = self._pending_before(operation)
        if pending:
            self._pending[operation.name] = pending
            if operation.type not in _NO_TENSORS:
                self.found.setdefault(operation.name, set()).update(pending)
        variables = {tensor.op.name for tensor in operation.inputs if tensor.op.type in REFERENCE_VARIABLES}
        if _is_update(operation):
            readers = set().union(*(self._readers.get(variable, ()) for variable in variables))
            for other in sorted((pending | readers) - self._perhaps):
                self._hold_back(operation, operation.graph.get_operation_by_name(other))
        elif operation.name in self._checked:
            for variable in variables:
                self._readers.setdefault(variable, set()).add(operation.name)

    def _pending_before(self, operation: Any) -> set[str]:
        """What has been computed, and perhaps not been checked, when an operation may run."""
        pending: set[str] = set()
        for before in operation.control_inputs:
            if before.name in self._checked and before.name in self._outside:
                pending.add(before.name)
            pending |= self._pending.get(before.name, set())
        for tensor in operation.inputs:
            if tensor.op.name not in self._checked:
                pending |= self._pending.get(tensor.op.name, set())
        return set(sorted(pending)[:_MOST])

    def _may_not_run(self, operation: Any) -> bool:
        """Whether it may lie in a branch that is not taken."""
        if operation.type in _SWITCHES:
            return True
        if operation.type in _MERGES and operation._get_control_flow_context() is None:  # noqa: SLF001  see internals.py
            return False
        return any(before.name in self._perhaps for before in _makers(operation))

    def _hold_back(self, update: Any, other: Any) -> None:
        """Has the check of something that goes into an update wait for that of another operation."""
        for tensor in reversed(update.inputs):
            # Which of these there will be is for Grappler to say.
            chain = [given for given in _passed_on(tensor.op) if self._can_wait(given, other)]
            for given in chain:
                self.found.setdefault(given.name, set()).add(other.name)
            if chain:
                return

    def _can_wait(self, given: Any, other: Any) -> bool:
        return given.name in self._outside and given.type not in _NO_TENSORS and not self._needs(other, given)

    def _needs(self, operation: Any, before: Any) -> bool:
        """Whether an operation can't run before another has been checked."""
        seen: set[str] = set()
        waiting = [operation]
        while waiting:
            each = waiting.pop()
            if each is before or each.name == before.name:
                return True
            others = self.found.get(each.name, set()) if each is not operation else set()
            graph = operation.graph
            makers = [*_makers(each), *(graph.get_operation_by_name(other) for other in others)]
            new = [maker for maker in makers if maker.name not in seen and maker._id >= before._id]  # noqa: SLF001  see internals.py
            seen.update(maker.name for maker in new)
            waiting.extend(new)
        return False


def _is_update(operation: Any) -> bool:
    return writes(operation.type) or (operation.type.startswith(_REFERENCE_WRITERS) and puts_out_references(operation))


def _passed_on(operation: Any) -> Iterator[Any]:
    """An operation, and as far as it only passes a tensor on, where that comes from."""
    yield operation
    while operation.type == "Identity":
        operation = operation.inputs[0].op
        yield operation


def _makers(operation: Any) -> list[Any]:
    return [*(tensor.op for tensor in operation.inputs), *operation.control_inputs]
