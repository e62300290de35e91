"""A second run of one operation: B's, with the inputs that A's was given, so that the error it adds is measured.

What is run is a formula of NumPy's in float64, which the kind of the operation and its settings choose: nothing that a
trace brings along. The formula is believed only where it makes of A's inputs what A has made of them, and of B's what B
has, as far as those are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.attributes import settings_of
from tensordbg.analysis.diff.elements import compare_in_order
from tensordbg.analysis.diff.fused import fused_before
from tensordbg.analysis.diff.numbers import ROUNDING
from tensordbg.analysis.diff.numpy_operations import NotKnownError, compute
from tensordbg.analysis.diff.numpy_windows import has_channels_last, laid_out
from tensordbg.analysis.diff.result import Measured
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

Array = npt.NDArray[Any]
Inputs = Sequence[Array | None]

_MOST_ELEMENTS = 4_000_000
"""Operations that are given more are not run again."""
_ROOM, _MOST_ROOM = 64.0, 0.02
"""So many roundings of a dtype a result may be away from that in float64; in those of few digits no more than this."""
_PASSED = 8
"""So many operations that hand a value on are walked through to where it was recorded."""
_HANDED_ON = frozenset({Kind.IDENTITY, Kind.STOP_GRADIENT, Kind.READ})


@dataclass(frozen=True)
class Rerun:
    """B's operation with A's inputs."""

    measured: Measured
    """Its result, beside that of A."""
    adds: bool
    """Whether it is apart from that by more than rounding."""

    @property
    def error(self) -> float | None:
        """The largest difference, beside the largest element of A; `None` where only one of them is finite."""
        error = _far(self.measured)
        return error if np.isfinite(error) else None


def run_again(a: Apart, b: Apart, rows: tuple[int, int], tolerance: float) -> Rerun | None:
    """Runs the operation of B with the inputs of A's; `None` where those are not at hand, or it is not known how.

    Numbers that B's program has written are its own: they are settings.
    """
    row_a, row_b = rows
    if _is_in_kernel(a.side, row_a) or _is_in_kernel(b.side, row_b):
        return None  # a part of a kernel speaks for itself alone
    of_a, of_b = _operands(a.side, row_a), _operands(b.side, row_b)
    result = _elements(a.side, int(a.side.numbers.event[row_a]))
    if result is None or not of_a or len(of_a) != len(of_b):
        return None
    given, own = [_elements(a.side, event) for event in of_a], [_elements(b.side, event) for event in of_b]
    room = min(_ROOM * max(_rounding(a.side, row_a), _rounding(b.side, row_b)), _MOST_ROOM)
    arranged = _arranged(a, row_a, given, room)
    if arranged is None or not _is_known(a, b, rows, own, room):
        return None
    written = [_is_written(b.side, event) for event in of_b]
    mixed = [theirs if its_own else mine for mine, theirs, its_own in zip(arranged, own, written, strict=True)]
    found = _in_layout_of_a(a, b, rows, mixed) if _fit(mixed, own) else None
    if found is None or found.shape != result.shape:
        return None
    measured = _beside(result, found)
    return Rerun(measured, _far(measured) > max(room, tolerance))


def _in_layout_of_a(a: Apart, b: Apart, rows: tuple[int, int], given: Inputs) -> Array | None:
    """Computes B's operation with inputs as they lie in A, which may have the channels elsewhere."""
    last_a, last_b = (
        has_channels_last(each.side.operation(row).kind, settings_of(each, row))
        for each, row in zip((a, b), rows, strict=True)
    )
    known = [each for each in given if each is not None]
    if last_a is None or last_b is None or last_a == last_b or len(known) < len(given):
        return _computed(b, rows[1], given)
    found = _computed(b, rows[1], laid_out(known, last=last_b))
    return None if found is None else laid_out([found], last=last_a)[0]


def _is_in_kernel(side: Side, row: int) -> bool:
    """Tells whether a kernel computes what goes into an operation, and keeps it to itself."""
    return any(True for _ in fused_before(side.values, int(side.numbers.site[row])))


def _is_known(a: Apart, b: Apart, rows: tuple[int, int], own: Inputs, room: float) -> bool:
    """Tells whether the formula is that of B's operation: by B's elements, else as it is that of A's, of one type."""
    row_a, row_b = rows
    if all(each is not None for each in own) and _elements(b.side, int(b.side.numbers.event[row_b])) is not None:
        return _arranged(b, row_b, own, room) is not None
    return a.side.site(row_a).op_type == b.side.site(row_b).op_type


def _fit(mixed: Inputs, own: Inputs) -> bool:
    """Tells whether what B's operation is to be given is as large as what it was given, as far as that is known."""
    return all(
        mine is not None and (theirs is None or mine.size == theirs.size)
        for mine, theirs in zip(mixed, own, strict=True)
    )


def _arranged(apart: Apart, row: int, given: Inputs, room: float) -> Inputs | None:
    """Finds how the inputs of an operation lay, so that the formula makes of them what it has made; `None` if not.

    A factor may have been taken as a transposed view, of which there is no event, and so may an image with its
    channels moved.
    """
    result = _elements(apart.side, int(apart.side.numbers.event[row]))
    for arranged in _arrangements(apart, row, given):
        found = _computed(apart, row, arranged)
        if found is None or result is None or found.shape != result.shape:
            continue
        if _far(_beside(result, found)) <= room:
            return arranged
    return None


def _arrangements(apart: Apart, row: int, given: Inputs) -> Iterator[Inputs]:
    yield given
    kind = apart.side.operation(row).kind
    last = has_channels_last(kind, settings_of(apart, row))
    known = [each for each in given if each is not None]
    if kind is Kind.MATMUL and len(given) > 1:
        yield from _turned(given)
    elif last is not None and known and len(known) == len(given) and all(each.ndim > 2 for each in known[:2]):
        x, *kernel = laid_out(known, last=last)
        yield from ([x, *kernel], [x, *known[1:]], [known[0], *kernel])


def _turned(given: Inputs) -> Iterator[Inputs]:
    """The inputs of a matrix product with either factor transposed."""
    *others, x, y = given
    if x is not None and y is not None and x.ndim > 1 and y.ndim > 1:
        turned_x, turned_y = np.swapaxes(x, -1, -2), np.swapaxes(y, -1, -2)
        yield from ([*others, *factors] for factors in ((x, turned_y), (turned_x, y), (turned_x, turned_y)))


def _beside(result: Array, found: Array) -> Measured:
    """Compares in the one order: an axis that is another is a difference here."""
    return compare_in_order(result, found)


def _far(measured: Measured) -> float:
    return measured.largest if measured.relative is None else measured.relative


def _computed(apart: Apart, row: int, given: Inputs) -> Array | None:
    known = [each for each in given if each is not None]
    if apart.side.slot(row) or len(known) < len(given) or sum(each.size for each in known) > _MOST_ELEMENTS:
        return None
    try:
        return compute(apart.side.operation(row).kind, known, settings_of(apart, row))
    except NotKnownError:
        return None


def _operands(side: Side, row: int) -> list[int]:
    """The events of what an operation was given, in order; `NONE` for each of which there is none."""
    values, event = side.values, int(side.numbers.event[row])
    invocation, port = int(values.invocation[event]), int(values.port[event])
    place, execution = values.invocations.place[invocation], int(values.invocations.execution[invocation])
    if place == NONE and execution != NONE:
        inputs = slice(*values.executions.input_starts[execution : execution + 2].tolist())
        made_by = values.executions.input_row[inputs]
        made = Flow(values, values.ports.inputs).made_port(made_by, values.executions.input_slot[inputs])
    else:
        made = values.ports.inputs.of(int(values.ports.site[port]))
        made_by = np.full(len(made), invocation)
    return [_event(side, *each) for each in zip(made_by.tolist(), made.tolist(), strict=True)]


def _event(side: Side, invocation: int, port: int) -> int:
    """The event of a value, or of that which it is the same as; `NONE` where there is none."""
    values, flow = side.values, Flow(side.values, side.values.ports.carrying)
    at: tuple[Ints, Ints] = np.array([invocation]), np.array([port])
    for _ in range(_PASSED):
        event = NONE if NONE in at[1] else int(values.event(*at)[0])
        if event != NONE or NONE in at[1]:
            return event
        step, site = flow.sources(*at), int(values.ports.site[at[1][0]])
        hands_on = values.ports.argument[site] >= 0 or values.ports.followed[site]
        if len(step.port) != 1 or not (hands_on or operation_of(side.program.sites[site]).kind in _HANDED_ON):
            return NONE
        at = step.invocation.astype(np.int64), step.port.astype(np.int64)
    return NONE


def _elements(side: Side, event: int) -> Array | None:
    """The elements of a value, as far as they are at hand; a single number is, as it was measured."""
    if event == NONE:
        return None
    elements = side.details.elements(event)
    view = side.details.views([event])[event]
    if elements is None and view.health is not None and view.shape is not None and view.health.size == 1:
        return np.full(view.shape, view.health.min)
    return elements


def _is_written(side: Side, event: int) -> bool:
    """Tells whether the program has written a value down: an axis, or a number, which eager code has from outside."""
    if event == NONE:
        return False
    kind = operation_of(side.program.sites[int(side.values.events.site[event])]).kind
    return kind is Kind.CONSTANT or (kind is Kind.INPUT and side.details.views([event])[event].shape == ())


def _rounding(side: Side, row: int) -> float:
    event = int(side.numbers.event[row])
    return ROUNDING.get(side.details.views([event])[event].dtype, ROUNDING["float32"])
