"""Where a size came from that was asked for and does not fit: what computed it, or what it came in with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensordbg.analysis.failures.beginnings.made import Made, Past, steps
from tensordbg.analysis.failures.beginnings.shapes import Emergence
from tensordbg.analysis.program.operations import named
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait


def is_of_size(op_type: str, message: str) -> bool:
    """Whether an operation says of what it was asked for that its input does not have so many elements."""
    operation = named(op_type)
    takes_one = operation.kind is Kind.RESHAPE or operation.has(Trait.SHAPED_BY_NUMBERS)
    return takes_one and any(word in message for word in ("requested shape", "size", "shape"))


def beginnings_of(past: Past, given: Sequence[Made | None]) -> Iterator[tuple[int, Emergence]]:
    """Which input asks for sizes, and for each size that was computed or came in the operation that made it."""
    for position, made in enumerate(given[1:], start=1):
        if made is None or not made.dtype.startswith("int"):
            continue
        for part in past.inputs(made) if made.operation.kind is Kind.PACK else [made]:
            turn = None if part is None else _beginning_of(past, part)
            if turn is not None:
                yield position, turn


def _beginning_of(past: Past, made: Made) -> Emergence | None:
    """What computed a size; None of a constant, which the text shows, and of the size that a tensor has."""
    for _ in steps():
        operation = made.operation
        if operation.kind is Kind.CONSTANT or operation.has(Trait.SHAPE_ONLY) or made.low is None:
            return None
        inputs = [each for each in past.inputs(made) if each is not None]
        if not inputs or not (operation.has(Trait.REARRANGES) or operation.kind is Kind.CAST):
            return Emergence(made, tuple(each for each in inputs if each.low is not None))
        made = inputs[0]
    return None
