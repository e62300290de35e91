"""Slots that optimizers keep beside variables, read behind the runs of a session that update them.

An update such as `ResourceApplyAdam` puts nothing out, one such as `ApplyAdam` the variable alone: there is nothing of
a slot to be watched behind it, and the program's graph stays as it is. But each variable has been made with an
operation that reads it, or by reference is one. Those are run once the program's own run is through, as a second run
that fetches nothing: what each slot holds then is looked at in place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions.slots import SLOT_SITE, slots_kept
from tensordbg.backends.tensorflow.sessions.parts import Parts
from tensordbg.backends.tensorflow.sessions.variables import REFERENCE_VARIABLES, SessionVariables, handle_behind
from tensordbg.model import NONE, Site
from tensordbg.operations.frameworks import TENSORFLOW

_MOST_OF_ROWS = 1 << 20
"""Of a slot whose chosen rows are updated all is read; a table with more elements than these is not."""
_READER = "ReadVariableOp"
_SHORT_LIVED = "TemporaryVariable"
"""It has no value any more once a run is through."""


@dataclass(frozen=True)
class SlotReading:
    """The reading of a slot behind a run."""

    name: str
    """`v`: the update's own name for it."""
    update: Any
    """The last operation that updates it in the run."""
    handle: Any
    """The tensor behind which it lies."""
    operation: Any
    """The one of the program's own that reads it; of a variable by reference the variable itself."""


def readings_behind(operations: Sequence[Any]) -> list[SlotReading]:
    """How to read the slots that the operations of a run update, in the order in which those were made."""
    found: dict[str, SlotReading] = {}
    for update in operations:
        for name, handle in _slots(update):
            reader = _reader_of(handle)
            if reader is not None and _is_worth_reading(update, handle):
                found[handle.op.name] = SlotReading(name, update, handle, reader)
    return list(found.values())


def sites_of(
    readings: Sequence[SlotReading], first: int, parts: Parts, variables: SessionVariables, stacks: Mapping[str, int]
) -> Iterator[Site]:
    """Describes them, numbered from `first`: of the run's own graph, as they happen once in a run."""
    for number, reading in enumerate(readings, first):
        yield Site(
            site=number,
            name=f"{reading.update.name}{SLOT_SITE}{reading.name}",
            op_type=_READER,
            function=parts.root.function,
            stack=stacks.get(reading.update.name, NONE),
            inputs=(parts.reference(reading.handle, parts.root),),
            dtypes=(dtypes.name_of(reading.operation.get_attr("dtype").as_datatype_enum),),
            device=reading.update.device,
            reads=variables.read_by(reading.operation),
            framework=TENSORFLOW,
        )


def _slots(update: Any) -> Iterator[tuple[str, Any]]:
    """The name of each slot that an operation updates, and the handle of the variable that holds it."""
    slots = slots_kept(update.type)
    if slots.names and update.get_attr("T").as_datatype_enum in dtypes.PROBED:
        for name, position in zip(slots.names, slots.positions, strict=True):
            handle = handle_behind(update.inputs[position])
            if handle is not None:
                yield name, handle


def _reader_of(handle: Any) -> Any:
    """An operation that reads a variable and nothing else; each variable of a graph is made with one."""
    if handle.op.type in REFERENCE_VARIABLES:
        return None if handle.op.type == _SHORT_LIVED else handle.op
    readers = [each for each in handle.consumers() if each.type == _READER and not each.control_inputs]
    return min(readers, key=lambda each: each._id, default=None)  # noqa: SLF001  described in internals.py


def _is_worth_reading(update: Any, handle: Any) -> bool:
    if slots_kept(update.type).rows < 0:
        return True
    shape = handle.op.get_attr("shape")
    elements = math.prod(dimension.size for dimension in shape.dim)
    return not shape.unknown_rank and 0 <= elements <= _MOST_OF_ROWS
