"""Adds to a function's definition a check of every tensor that its operations compute.

A check runs after the checks of all that its operation was computed from: so the operation that made the first bad
number is the one that is blamed, although checks run beside the program, in any order that this leaves. Calls, loops
and branches wait for the checks of what they are given, and a check waits for the calls its operation takes from. An
iteration of a loop begins when the checks of the iteration before are done. A backward pass is checked after the
forward pass. What is only chosen from (`chosen.py`) is checked behind the choice. A variable is written when what goes
into it has been checked: where the program ends, its variables are good still. Where processors are few, every
operation waits so, see `functions/waiting.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check.bounded import BoundedOperations
from tensordbg.backends.tensorflow.check.chosen import chosen_nodes
from tensordbg.backends.tensorflow.check.forward_first import ForwardFirst
from tensordbg.backends.tensorflow.check.latent import latent_in_definition
from tensordbg.backends.tensorflow.check.tables import IGNORED_OUTPUTS, SAFE, SKIPPED, UNCHECKED, is_checked
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.functions.slots import SlotRead, add_reads
from tensordbg.backends.tensorflow.functions.waiting import BRANCHING, looks_first, may_wait, wait_for, wait_for_slots
from tensordbg.backends.tensorflow.variables import writes

CHECK_OP = "TensordbgCheck"
_NAME = "tdbg_check/"

_READ = "ReadVariableOp"

_MOST_WAITED_FOR = 4
"""More checks than this are waited for through one node, which all who wait share."""

_MOST_INPUTS = 62
"""Of so many inputs a check tells which were checked where they were made."""


@dataclass(frozen=True)
class _Late:
    """An operation that is checked behind the choice at which its results end."""

    node: Any
    above: tuple[str, ...]
    choice: str


@dataclass(frozen=True)
class NodesApart:
    """The names of nodes of which more is known than what they compute."""

    backward: frozenset[str] = frozenset()
    """Those of a backward pass."""
    of_tensorflow: frozenset[str] = frozenset()
    """Those that TensorFlow's functions have computed for a purpose of their own."""


_NONE_APART = NodesApart()


def add_checks(definition: Any, described: Description, apart: NodesApart = _NONE_APART) -> set[int]:
    """Adds the checks; what an update keeps of its gradients is read behind it, for the program never reads it.

    Args:
        definition: The function's.
        described: What is known of it.
        apart: The nodes of which more is known.

    Returns:
        The sites that are only chosen from, whose checks take in what the choice puts out, too, behind all else.
    """
    placer = _Placer(definition, described, apart)
    placer.place()
    add_reads(definition, described.slots)
    looks = {read.point.tensor: _add_slot_check(definition, read) for read in described.slots}
    wait_for_slots(definition, described.slots, looks)
    return placer.chosen_sites


def _add_slot_check(definition: Any, read: SlotRead) -> str:
    name, point = f"{_NAME}{read.site}_0", read.point
    check = definition.node_def.add(name=name, op=CHECK_OP, device=point.device)
    check.input.append(point.tensor)
    check.attr["T"].list.type.append(point.dtype)
    check.attr["about"].list.i.extend([fd.place_number(read.site, 0), 0, 0])
    fd.must_run(definition, name)
    return name


class _Placer:
    """Walks through one definition in the order of its operations."""

    def __init__(self, definition: Any, described: Description, apart: NodesApart) -> None:
        self._definition = definition
        self._described = described
        self._nodes = list(definition.node_def)
        self._dtypes = {argument.name: argument.type for argument in definition.signature.input_arg}
        self._origins = {} if described.is_part else dict.fromkeys(self._dtypes, "argument")
        self._bounded = BoundedOperations(self._dtypes)
        self._latent = latent_in_definition(definition)
        self._forward_first = ForwardFirst(definition, apart.backward)
        self._of_tensorflow = apart.of_tensorflow
        self._guards: dict[str, tuple[str, ...]] = {}
        self._added: list[str] = []
        self._reads: dict[str, list[str]] = {}
        self._calls = set(described.calls)
        self._all_wait = looks_first(described)
        self._chosen = chosen_nodes(definition, apart.backward)
        self._late: list[_Late] = []
        self._late_checks: dict[str, tuple[str, ...]] = {}
        self.chosen_sites: set[int] = set()

    def place(self) -> None:
        for node in self._nodes:
            self._learn(node)
            above = (*self._above(node), *self._forward_first.gate(node))
            if self._waits(node):
                # And so does its check, and all that is computed from it.
                wait_for(node, above)
                above = ()
            if node.name in self._calls:
                self._guards[node.name] = (node.name,)
                self._added.append(node.name)
                self._forward_first.learn(node, self._guards[node.name])
            elif node.name in self._described.live and self._is_late(node):
                self._late.append(_Late(node, above, self._chosen[node.name]))
                self._guards[node.name] = above
            elif node.name in self._described.live:
                late = self._checks_of_late(node)
                checks = self._read_before(node) or [*late, *self._checks(node, (*above, *late))]
                self._guards[node.name] = tuple(checks) or above
                self._added.extend(checks)
                self._forward_first.learn(node, checks)
                if node.name not in self._latent and node.name not in self._of_tensorflow:
                    self._bounded.learn(node)
            self._remember_reading(node)
        if self._described.is_loop_body and self._added:
            fd.results_wait_for(self._definition, self._added)

    def _is_late(self, node: Any) -> bool:
        """Whether it is checked behind the choice at which its results end."""
        choice = self._chosen.get(node.name)
        return (
            choice in self._described.live and node.name not in self._calls and len(fd.data_inputs(node)) < _MOST_INPUTS
        )

    def _checks_of_late(self, choice: Any) -> list[str]:
        """Adds the checks of what is chosen from; the first of a chain looks first."""
        found: list[str] = []
        for late in [each for each in self._late if each.choice == choice.name]:
            self._late.remove(late)
            before = [each for name in late.node.input for each in self._late_checks.get(fd.node_of(name), ())]
            checks = tuple(self._checks(late.node, dict.fromkeys((*late.above, *before)), choice))
            self._late_checks[late.node.name] = checks or tuple(dict.fromkeys(before))
            found.extend(checks)
        return found

    def _waits(self, node: Any) -> bool:
        """Whether the operation itself waits for the checks of what it takes in."""
        if node.name in self._calls or writes(node.op):
            return True
        return self._all_wait and node.name in self._described.live and may_wait(node)

    def _read_before(self, node: Any) -> list[str]:
        """The check of the same variable where it was read before and is as it was."""
        return self._reads.get(node.input[0], []) if node.op == _READ else []

    def _remember_reading(self, node: Any) -> None:
        if node.op == _READ and node.name in self._described.live:
            self._reads[node.input[0]] = list(self._guards[node.name])
        elif writes(node.op) or fd.called_functions(node):
            self._reads.clear()

    def _learn(self, node: Any) -> None:
        """What its outputs are, and whether they were checked where their elements were made."""
        origins = {self._origins[name] for name in node.input if name in self._origins}
        for output in fd.outputs(node):
            self._dtypes[output.tensor] = output.dtype
            if (node.op, output.slot) in IGNORED_OUTPUTS or node.name in self._of_tensorflow:
                self._origins[output.tensor] = "elsewhere"
            elif origins and node.op in SAFE | SKIPPED and node.op not in fd.CALLS:
                self._origins[output.tensor] = min(origins)

    def _above(self, node: Any) -> tuple[str, ...]:
        """What must be waited for before everything that the node takes in has been checked."""
        if node.op in BRANCHING:
            return ()
        found: dict[str, None] = {}
        for name in node.input:
            found.update(dict.fromkeys(self._guards.get(name.lstrip("^").partition(":")[0], ())))
        if len(found) <= _MOST_WAITED_FOR:
            return tuple(found)
        gate = f"tdbg_checked/{len(self._guards)}"
        self._definition.node_def.add(name=gate, op="NoOp", device=node.device, input=[f"^{name}" for name in found])
        return (gate,)

    def _checks(self, node: Any, above: Iterable[str], choice: Any = None) -> Iterable[str]:
        if node.op in UNCHECKED or node.name in self._latent or self._bounded.needs_no_look(node):
            return
        for output in fd.outputs(node):
            if output.dtype in dtypes.FLOATS and is_checked(node.op, output.slot):
                name = f"{_NAME}{self._described.sites[node.name]}_{output.slot}"
                self._add_check(name, node, output, choice)
                self._definition.node_def[-1].input.extend(f"^{guard}" for guard in above)
                yield name

    def _add_check(self, name: str, node: Any, output: fd.Output, choice: Any) -> None:
        inputs = [tensor for tensor in fd.data_inputs(node) if self._dtypes.get(tensor) in dtypes.PROBED]
        check = self._definition.node_def.add(name=name, op=CHECK_OP, device=node.device)
        check.input.extend([output.tensor, *inputs])
        check.attr["T"].list.type.extend([output.dtype, *(self._dtypes[tensor] for tensor in inputs)])
        origins = [self._origins.get(tensor) for tensor in inputs[:_MOST_INPUTS]]
        if choice is not None:
            result = next(fd.outputs(choice))
            check.input.append(result.tensor)
            check.attr["T"].list.type.append(result.dtype)
            origins.append("elsewhere")
            self.chosen_sites.add(self._described.sites[node.name])
        place = fd.place_number(self._described.sites[node.name], output.slot)
        check.attr["about"].list.i.extend([place, _marks(origins, "argument"), _marks(origins, "elsewhere")])
        fd.must_run(self._definition, name)


def _marks(origins: list[str | None], wanted: str) -> int:
    """Bit i stands where input i has this origin."""
    return sum(1 << i for i, origin in enumerate(origins) if origin == wanted)
