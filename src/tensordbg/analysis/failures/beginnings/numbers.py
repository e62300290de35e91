"""Where a number came from that was out of range: the operation that made it of numbers that were not.

What only moves numbers about hands the number on; the first operation on the way back that computes made it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tensordbg.analysis.failures.beginnings.made import Made, Past, steps
from tensordbg.analysis.failures.beginnings.shapes import Emergence
from tensordbg.analysis.program.operations import named
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_RANGE = re.compile(
    r"(-?\d+)(?: which)? is (?:not in(?: the valid range)?|outside the valid range of|out of range|out of bounds:?) "
    r"\[(-?\d+), ?(-?\d+)\)"
)
_OF_DIMENSION = re.compile(r"index (-?\d+) of dimension (\d+) out of bounds")

_OF_SIZE = re.compile(r"index (-?\d+) is out of bounds for dimension \d+ with size (\d+)")
_OF_LIST = re.compile(r"(?:modify|access) element (-?\d+) in a list with (\d+) element")
_OF_LABEL = re.compile(r"Target (-?\d+) is out of bounds")
_OF_TABLE = re.compile(r"\A(?:index out of range in self|Expected i < index_size)")
_OF_PLACE = re.compile(r"= \[(-?\d+(?:, ?-?\d+)*)\] does not index into (?:param )?shape \[(\d+(?:, ?\d+)*)\]")
_OF_SPARSE = re.compile(r"\((-?\d+)\) from index\[\d+,(\d+)\] out of bounds \(>=(\d+)\)")
_ON_GPU = re.compile(r"device-side assert triggered")
"""How PyTorch says it; the last two tell no number, and the last may be of anything that a kernel asserts."""

_CARRYING = frozenset({Kind.CAST, Kind.CLIP, Kind.MAX, Kind.MAXIMUM, Kind.MIN, Kind.MINIMUM, Kind.RELU})
"""They give numbers that they were given, perhaps without what is behind the point."""


@dataclass(frozen=True)
class OutOfRange:
    """A number that an operation refused."""

    number: int
    low: int
    """The smallest that it takes."""
    end: int
    """One more than the largest."""
    rank: int | None = None
    """How many dimensions the tensor has that holds it, where the message tells that."""
    part: int | None = None
    """Which part of a place, `[row, column]`, it is."""


def out_of_range(message: str, given: Sequence[Made | None]) -> OutOfRange | None:
    """The number that a message is of, and what would have been in range; None for any other message."""
    found = _RANGE.search(message)
    if found is not None:
        return OutOfRange(*map(int, found.groups()))
    if (placed := _OF_PLACE.search(message)) is not None:
        return _part_beyond(*([int(number) for number in numbers.split(",")] for numbers in placed.groups()))
    if (sparse := _OF_SPARSE.search(message)) is not None:
        return OutOfRange(int(sparse[1]), 0, int(sparse[3]), rank=2, part=int(sparse[2]))
    if (sized := _OF_SIZE.search(message)) is not None:
        number, size = map(int, sized.groups())
        return OutOfRange(number, 0 if -size <= number < 0 else -size, size)
    if (listed := _OF_LIST.search(message)) is not None:
        return OutOfRange(int(listed[1]), 0, int(listed[2]), rank=0)
    first = given[0] if given else None
    if (label := _OF_LABEL.search(message)) is not None and first is not None and first.shape:
        return OutOfRange(int(label[1]), 0, first.shape[min(1, len(first.shape) - 1)])
    if _OF_TABLE.search(message):
        return _outside_of_table(given)
    if _ON_GPU.search(message):
        return _outside_of_table(given, _axis_of_labels(given))
    found = _OF_DIMENSION.search(message)
    if found is None or first is None or first.shape is None or int(found[2]) >= len(first.shape):
        return None
    size = first.shape[int(found[2])]
    return OutOfRange(int(found[1]), -size, size)


def _part_beyond(place: Sequence[int], sizes: Sequence[int]) -> OutOfRange | None:
    """The first part of a place that is outside of a shape."""
    for part, (number, size) in enumerate(zip(place, sizes, strict=False)):
        if not 0 <= number < size:
            return OutOfRange(number, 0, size, part=part)
    return None


def _axis_of_labels(given: Sequence[Made | None]) -> int:
    """Along which axis of the first input the second tells a place: a label for each row stands for a column."""
    table, index = (*given, None, None)[:2]
    if table is None or index is None or table.shape is None or index.shape is None:
        return 0
    return int(len(table.shape) > 1 and len(index.shape) == 1 and index.shape[0] == table.shape[0])


def _outside_of_table(given: Sequence[Made | None], axis: int = 0) -> OutOfRange | None:
    """The index that is outside of the rows of a table, which is the first input, or of its columns."""
    table, index = (*given, None, None)[:2]
    if table is None or not table.shape or index is None or index.low is None or index.high is None:
        return None
    if not index.dtype.startswith(("int", "uint")):
        return None
    rows = table.shape[axis]
    wrong = index.high if index.high >= rows else index.low
    return OutOfRange(int(wrong), 0, rows) if not 0 <= wrong < rows else None


def holds(made: Made, wrong: OutOfRange) -> bool:
    """Whether the number may be among those of a tensor, which are told by the smallest and the largest."""
    if made.low is None or made.high is None:
        return False
    beyond = math.floor(made.high) >= wrong.end if wrong.number >= wrong.end else math.ceil(made.low) < wrong.low
    return beyond and math.floor(made.low) <= wrong.number <= math.ceil(made.high)


def refused(given: Sequence[Made | None], wrong: OutOfRange, op_type: str = "") -> list[int]:
    """Which inputs hold the number: whole numbers alone are indices, and no table that is looked up in."""
    is_looked_up = named(op_type).has(Trait.LOOKS_UP)
    return [
        k for k, made in enumerate(given)
        if made is not None and made.dtype.startswith(("int", "uint")) and holds(made, wrong)
        and not (is_looked_up and k == 0) and wrong.rank in (None, None if made.shape is None else len(made.shape))
    ]  # fmt: skip


def beginning_of(past: Past, made: Made, wrong: OutOfRange) -> Emergence | None:
    """The operation that made the number; None where it can't be told."""
    for _ in steps():
        chooses = made.operation.has(Trait.CHOOSES)
        inputs = [each for each in _taken(past.inputs(made), chooses) if each is not None]
        carries = made.operation.has(Trait.REARRANGES, Trait.FROM_PIPELINE) or made.operation.kind in _CARRYING
        carries = carries or (made.operation.kind is Kind.ARGUMENT and bool(inputs))
        if not (chooses or carries):
            return Emergence(made, tuple(each for each in inputs if each.low is not None))
        if wrong.part is not None and made.operation.kind is Kind.PACK and wrong.part < len(inputs):
            inputs, wrong = inputs[wrong.part :][:1], replace(wrong, part=None)
        before = next((each for each in inputs if holds(each, wrong)), None)
        if before is None and made.operation.has(Trait.FROM_PIPELINE):
            return Emergence(made, ())
        if before is None:
            return Emergence(made, tuple(inputs)) if made.operation.kind is Kind.CAST and inputs else None
        made = before
    return None


def _taken(inputs: Sequence[Made | None], chooses: bool) -> Sequence[Made | None]:
    """What an operation may take its elements from: of a choice that is the same for all the one side."""
    if not chooses or not inputs:
        return inputs
    condition, *sides = inputs
    if condition is None or condition.low is None or condition.low != condition.high or len(sides) < 2:
        return sides
    return sides[:1] if condition.low else sides[1:]
