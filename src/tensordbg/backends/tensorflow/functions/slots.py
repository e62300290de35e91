"""The slots that an optimizer keeps beside each variable: means of gradients, sums of their squares.

One operation, such as `ResourceApplyAdam`, updates the variable and its slots, and puts out nothing. So they are read
behind it, as if the program had done so: of an operation that updates chosen rows those rows alone. What would write
them next waits until they have been looked at: then nothing is read late, and nothing has to be copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.internals import op_def_registry

SLOT_SITE = "/new_"
"""Between the name of an update and that of a slot in the name of the slot's site."""

_NAME = "tdbg_slot/"
_RESOURCE = "Resource"
_DENSE = f"{_RESOURCE}Apply"
_SPARSE = f"{_RESOURCE}SparseApply"
_ROWS = "indices"


@dataclass(frozen=True)
class Slots:
    """The slots of one type of operation."""

    names: tuple[str, ...]
    """`m`, `v`: the operation's own names for them."""
    positions: tuple[int, ...]
    """Where the operation takes their handles, or references to them."""
    rows: int
    """Where it takes the numbers of the rows that it updates; -1 where it updates all."""

    @property
    def reader(self) -> str:
        """The type of the operation that reads one."""
        return "ReadVariableOp" if self.rows < 0 else "ResourceGather"


_NONE = Slots((), (), -1)


@cache
def slots_of(op_type: str) -> Slots:
    """The slots that operations of a type update; none of what is no optimizer's update."""
    return _slots(op_type, _DENSE, _SPARSE, lambda given: bool(given.type == dtypes.RESOURCE))


@cache
def slots_by_reference(op_type: str) -> Slots:
    """The slots that operations of a type update by reference, as there are in sessions alone: of `ApplyAdam`."""
    return _slots(op_type, _DENSE.removeprefix(_RESOURCE), _SPARSE.removeprefix(_RESOURCE), lambda given: given.is_ref)


def slots_kept(op_type: str) -> Slots:
    """The slots that operations of a type update, in whatever kind of variable."""
    return slots_of(op_type) if slots_of(op_type).names else slots_by_reference(op_type)


def _slots(op_type: str, dense: str, sparse: str, holds: Callable[[Any], bool]) -> Slots:
    """Those of a type that begins as updates do, of all rows or of chosen ones, in the variables that it is given."""
    found = op_def_registry.get(op_type) if op_type.startswith((dense, sparse)) else None
    if found is None:
        return _NONE
    given = [argument.name for argument in found.input_arg]
    handles = [k for k, argument in enumerate(found.input_arg) if holds(argument)]
    if op_type.startswith(sparse) and _ROWS not in given:
        return _NONE
    rows = given.index(_ROWS) if op_type.startswith(sparse) else -1
    # The first is the variable itself, which the program reads.
    return Slots(tuple(given[k] for k in handles[1:]), tuple(handles[1:]), rows)


@dataclass(frozen=True)
class SlotRead:
    """The reading of a slot behind an update of it."""

    site: int
    update: Any
    """The NodeDef of the update."""
    position: int
    """Where the update takes the slot's handle."""

    @property
    def name(self) -> str:
        """The name of the node that reads."""
        return f"{_NAME}{self.site}"

    @property
    def point(self) -> fd.ProbePoint:
        """Where it is looked at."""
        output = "value" if slots_of(self.update.op).rows < 0 else "output"
        tensor = f"{self.name}:{output}:0"
        return fd.ProbePoint(tensor, self.update.attr["T"].type, self.site, 0, False, self.update.device)


def add_reads(definition: Any, reads: Sequence[SlotRead]) -> None:
    """Adds the nodes that read."""
    for read in reads:
        update, slots = read.update, slots_of(read.update.op)
        node = definition.node_def.add(name=read.name, op=slots.reader, device=update.device)
        node.attr["dtype"].type = update.attr["T"].type
        node.input.append(update.input[read.position])
        if slots.rows >= 0:
            node.input.append(update.input[slots.rows])
            node.attr["Tindices"].type = update.attr["Tindices"].type
        node.input.append(f"^{update.name}")
