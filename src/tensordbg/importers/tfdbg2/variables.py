"""The variables of a log: known by their handles, which eager operations and functions are given like other tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tensordbg.importers.tfdbg2.calls import Call
from tensordbg.importers.tfdbg2.executions import Execution
from tensordbg.importers.tfdbg2.graphs import Graph
from tensordbg.importers.tfdbg2.program import Program
from tensordbg.model import NONE, CallKind, Variable

_READERS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd"})
_WRITERS = ("Assign", "ResourceApply", "ResourceSparseApply", "ResourceScatter", "ResourceStridedSliceAssign")


def reads(op_type: str) -> bool:
    """Whether an operation of this type puts out a variable's value."""
    return op_type in _READERS


def writes(op_type: str) -> bool:
    """Whether an operation of this type changes the variables that it takes."""
    return op_type.startswith(_WRITERS)


@dataclass
class Variables:
    """Numbers for variables, and the arguments of functions that stand for them."""

    program: Program
    _numbers: dict[int, int] = field(default_factory=dict)
    _of_argument: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    _known_handles: dict[str, frozenset[str]] = field(default_factory=dict)

    @property
    def rows(self) -> list[Variable]:
        """All variables; the log tells neither their names nor their shapes."""
        return [Variable(number, f"variable {number}", "", "null") for number in self._numbers.values()]

    def learn(self, execution: Execution) -> None:
        """Takes notice of the handles that an execution is given."""
        record = execution.record
        if execution.graph is None:
            if reads(record.op_type) or writes(record.op_type):
                self._number(record.inputs[0] if record.inputs else NONE)
            return
        given = {
            argument.name: {self._number(tensor)}
            for argument, tensor in zip(execution.graph.arguments, record.inputs, strict=False)
            if argument.name in self._handles(execution.graph)
        }
        self._pass_on(execution.graph, given)

    def touched(self, execution: Execution) -> tuple[int, ...]:
        """The variables that an eager operation takes."""
        return tuple(self._numbers[tensor] for tensor in execution.record.inputs if tensor in self._numbers)

    def of_operation(self, graph: Graph, inputs: tuple[str, ...]) -> tuple[int, ...]:
        """The variables that an operation of a graph takes."""
        found: set[int] = set()
        for name in inputs:
            found |= self._of_argument.get((graph.identifier, name), set())
        return tuple(sorted(found))

    def of_argument(self, graph: Graph, name: str) -> int:
        """The variable that an argument is the handle of, `NONE` where it is none or now this, now that."""
        found = self._of_argument.get((graph.identifier, name), set())
        return next(iter(found)) if len(found) == 1 else NONE

    def _number(self, tensor: int) -> int:
        return self._numbers.setdefault(tensor, len(self._numbers))

    def _handles(self, graph: Graph) -> frozenset[str]:
        """The arguments of a graph that are used as handles, in it or in what it calls."""
        known = self._known_handles.get(graph.identifier)
        if known is None:
            # Kept before it is followed: graphs of a damaged log may call each other in a circle.
            self._known_handles[graph.identifier] = frozenset()
            users = (each for each in graph.operations.values() if reads(each.op_type) or writes(each.op_type))
            found = {operation.inputs[0][0] for operation in users if operation.inputs}
            for call in self.program.calls.get(graph.identifier, ()):
                for called in call.called:
                    inner = self._handles(self.program.graphs.all[called])
                    found |= {outer for name, outer in self._handed(call, called) if name in inner}
            known = self._known_handles[graph.identifier] = frozenset(found)
        return known

    def _handed(self, call: Call, called: str) -> Iterator[tuple[str, str]]:
        """For each argument of a called graph the operation in the caller that it comes from."""
        shift = int(call.kind is CallKind.IF)
        for argument, position in zip(self.program.graphs.all[called].arguments, call.arguments[called], strict=True):
            if position + shift < len(call.inputs):
                yield argument.name, call.inputs[position + shift][0]

    def _pass_on(self, graph: Graph, given: Mapping[str, set[int]], around: tuple[str, ...] = ()) -> None:
        """Tells a graph, and those that it calls, which variables its arguments stand for."""
        if not given or graph.identifier in around:
            return
        for name, variables in given.items():
            self._of_argument.setdefault((graph.identifier, name), set()).update(variables)
        for call in self.program.calls.get(graph.identifier, ()):
            for called in call.called:
                handed = {name: given[outer] for name, outer in self._handed(call, called) if outer in given}
                self._pass_on(self.program.graphs.all[called], handed, (*around, graph.identifier))
