"""Adds a trap to a function's definition: all that writes waits until the loss and the gradients have been tested.

What writes before they are known, such as a random generator's state, can't wait; its old value goes to the trap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.tables import EXPORT, changes_table, types_in
from tensordbg.backends.tensorflow.functions.waiting import may_wait, processors_are_few, wait_for
from tensordbg.backends.tensorflow.trap.exchanges import received
from tensordbg.backends.tensorflow.trap.gated_calls import CALL_GATES
from tensordbg.backends.tensorflow.trap.gates import Gates
from tensordbg.backends.tensorflow.variables import writes
from tensordbg.trapping.capture import TABLE, Saved
from tensordbg.trapping.targets import GRADIENT, LOSS, SCALE

TRAP_OP = "TensordbgTrap"
_TRAP = "tdbg_trap/step"
_OLD = "tdbg_trap/old_"

_INT64 = 9
NEXT = frozenset({"IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue"})
"""Operations that put out what comes from an input pipeline."""


_DRAWS = ("Rng", "StatefulUniform", "StatefulStandardNormal", "StatefulTruncatedNormal", "StatefulRandomBinomial")
"""How the names begin of operations that change the state of a random generator, a variable."""


def changes(op_type: str) -> bool:
    """Whether an operation of this type changes a variable or a random generator's state, its first input."""
    return writes(op_type) or op_type.startswith(_DRAWS)


@dataclass(frozen=True)
class TrapPoint:
    """A trap that was added."""

    saved: tuple[Saved, ...]


def late_writers(definition: Any, tested: Sequence[str]) -> list[str]:
    """Names of the nodes that change something and aren't needed for what is tested."""
    before = fd.nodes_behind(definition, tested)
    return [node.name for node in definition.node_def if _may_write(node) and node.name not in before]


def _may_write(node: Any) -> bool:
    """Whether a node changes something: writes, and calls of functions that may."""
    return changes(node.op) or (node.op in fd.CALLS and "less" not in node.op)


class TrapPlacer:
    """Adds a trap to one definition."""

    def __init__(self, definition: Any, tested: Sequence[tuple[str, int]], roles: Sequence[str]) -> None:
        """Adds nothing yet.

        Args:
            definition: The FunctionDef.
            tested: Tensors, by their names in the definition, and their dtypes.
            roles: What each of them is, in the order of `trap_targets.ROLES`.
        """
        self._definition = definition
        self._tested = tested
        self._roles = roles
        self._nodes = {node.name: node for node in definition.node_def}
        self._dtypes = fd.dtypes_of(definition)

    def place(self, number: int, gates: Gates | None) -> TrapPoint:
        """Adds it.

        Args:
            number: Which trap it is.
            gates: What leaves out the writes of a step, also in what it calls; None where a bad step fails, or goes on.
        """
        before = fd.nodes_behind(self._definition, [tensor for tensor, _ in self._tested])
        writers = self._writers()
        early = [node for node in writers if node.name in before]
        late = [node for node in writers if node.name not in before]
        exchanged = self._exchanged(late)
        changing = [node for node in self._nodes.values() if changes_table(node.op)]
        tables = self._old_tables([*early, *(node for node in changing if node.name in before)])
        given = (*arguments_of(self._definition), *self._elements(before), *exchanged)
        saved = (*given, *self._old_values(early), *tables)
        self._add_trap(number, saved)
        if processors_are_few():
            self._delay_updates(before)
        for node in changing:
            if node.name not in before:
                wait_for(node, [_TRAP])
        for node in late:
            if gates is None or not self._close(node, gates, f"{_TRAP}:good:0"):
                wait_for(node, [_TRAP])
        return TrapPoint(saved)

    def leave_out_writes(self, gates: Gates, condition: str) -> tuple[Saved, ...]:
        """Has what can wait write only where a condition holds, without a trap.

        Returns:
            What is written whatever the condition: the old values of these variables.
        """
        before = fd.nodes_behind(self._definition, [tensor for tensor, _ in self._tested])
        writers = self._writers()
        open_ones = [node for node in writers if node.name in before or not self._close(node, gates, condition)]
        return tuple(self._old_values(open_ones))

    def place_after(self, number: int, kept: Sequence[Saved]) -> TrapPoint:
        """Adds a trap for which nothing waits; beside the arguments it keeps what it is told."""
        saved = (*arguments_of(self._definition), *kept)
        self._add_trap(number, saved)
        return TrapPoint(saved)

    def _delay_updates(self, before: set[str]) -> None:
        """Has what is computed from the gradients, as an optimizer does, wait as well.

        What it computes would else lie about until it can be written, and be fetched from memory once more: a step of a
        transformer took 1.06 times the plain one on two processors, and not 1.03.
        """
        gradients = {tensor for (tensor, _), role in zip(self._tested, self._roles, strict=True) if role == GRADIENT}
        for node in self._nodes.values():
            uses = node.name not in before and not gradients.isdisjoint(node.input)
            if uses and may_wait(node) and node.op not in fd.CALLS and not changes(node.op):
                wait_for(node, [_TRAP])

    def _close(self, node: Any, gates: Gates, condition: str) -> bool:
        """Has a node write only where a condition holds; False where it writes nothing that can be left out."""
        if node.op in fd.CALLS:
            return CALL_GATES.close(node, condition)
        if not writes(node.op):
            return False
        gates.close(node, condition, [self._dtypes[name] for name in fd.data_inputs(node)])
        return True

    def _writers(self) -> list[Any]:
        return [node for node in self._nodes.values() if _may_write(node)]

    def _elements(self, before: set[str]) -> list[Saved]:
        taking = (node for node in self._nodes.values() if node.op in NEXT and node.name in before)
        return [each for node in taking for each in elements_in(fd.outputs(node))]

    def _exchanged(self, late: list[Any]) -> Iterator[Saved]:
        """What comes from other processes; not where it waits for a write, which waits for the trap."""
        return elements_in(output for _, output in received(self._definition, [node.name for node in late]))

    def _old_values(self, early: list[Any]) -> list[Saved]:
        """Reads the variables that are written early, each before its first write."""
        handles = {argument.name: number for number, argument in enumerate(self._definition.signature.input_arg)}
        writers: dict[str, list[Any]] = {}
        for node in early:
            for name in fd.data_inputs(node):
                if name in handles and self._dtypes[name] == dtypes.RESOURCE:
                    writers.setdefault(name, []).append(node)
        return [each for name, nodes in writers.items() for each in self._old_value(name, handles[name], nodes)]

    def _old_tables(self, early: list[Any]) -> Iterator[Saved]:
        """Reads the lookup tables that are changed early, each before its first change."""
        for number, argument in enumerate(self._definition.signature.input_arg):
            if argument.type != dtypes.RESOURCE:
                continue
            using = [node for node in self._nodes.values() if argument.name in node.input]
            types = next(filter(None, map(types_in, using)), None)
            changing = [node for node in early if argument.name in node.input]
            if types is not None and changing:
                read = self._definition.node_def.add(name=f"{_OLD}{number}", op=EXPORT, input=[argument.name])
                for attribute, part, dtype in zip(("Tkeys", "Tvalues"), TABLE, types, strict=True):
                    read.attr[attribute].type = dtype
                    yield Saved(part, f"{read.name}:{part}:0", dtype, number)
                for node in changing:
                    wait_for(node, [read.name])

    def _old_value(self, handle: str, argument: int, writers: list[Any]) -> list[Saved]:
        dtype = self._dtype_of_variable(handle)
        if dtype is None:
            return []
        read = self._definition.node_def.add(name=f"{_OLD}{argument}", op="ReadVariableOp", input=[handle])
        read.attr["dtype"].type = dtype
        for node in writers:
            node.input.append(f"^{read.name}")
        return [Saved("variable", f"{read.name}:value:0", dtype, argument)]

    def _dtype_of_variable(self, handle: str) -> int | None:
        for node in self._nodes.values():
            if handle not in node.input:
                continue
            if node.op.startswith(_DRAWS):
                return _INT64  # what the state of every generator consists of
            if "dtype" in node.attr and (writes(node.op) or node.op == "ReadVariableOp"):
                return int(node.attr["dtype"].type)
        return None

    def _add_trap(self, number: int, saved: Sequence[Saved]) -> None:
        trap = add_trap_node(self._definition, _TRAP, number, self._tested, saved)
        trap.attr["losses"].i = self._roles.count(LOSS)
        trap.attr["gradients"].i = self._roles.count(GRADIENT)
        trap.attr["scale"].i = self._roles.index(SCALE) if SCALE in self._roles else -1


def arguments_of(definition: Any) -> list[Saved]:
    """The arguments of a function whose elements can be kept."""
    return [
        Saved("argument", argument.name, argument.type, number)
        for number, argument in enumerate(definition.signature.input_arg)
        if argument.type in dtypes.RECORDED
    ]


def elements_in(outputs: Iterable[fd.Output]) -> Iterator[Saved]:
    """Chooses what can be kept of outputs that hold what comes from outside and is no argument."""
    return (Saved("element", each.tensor, each.dtype, -1) for each in outputs if each.dtype in dtypes.RECORDED)


def add_trap_node(
    definition: Any, name: str, number: int, tested: Sequence[tuple[str, int]], saved: Sequence[Saved]
) -> Any:
    """Adds the operation itself, without losses and gradients, which must run."""
    trap = definition.node_def.add(name=name, op=TRAP_OP)
    trap.input.extend([*(tensor for tensor, _ in tested), *(each.tensor for each in saved)])
    trap.attr["Ttested"].list.type.extend(dtype for _, dtype in tested)
    trap.attr["Tsaved"].list.SetInParent()
    trap.attr["Tsaved"].list.type.extend(each.dtype for each in saved)
    trap.attr["trap"].i = number
    trap.attr["tests"].i = len(tested)
    for attribute, value in (("losses", 0), ("gradients", 0), ("scale", -1)):
        trap.attr[attribute].i = value
    fd.must_run(definition, trap.name)
    return trap
