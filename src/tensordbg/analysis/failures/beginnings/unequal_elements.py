"""Elements of an input pipeline that can't be put into one batch, as their shapes differ: what made the odd one.

The runtime says the shapes alone. Which function of the pipeline gave such an element is known by what was recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.failures.beginnings.shapes import Emergence, Odd, beginning_of
from tensordbg.analysis.failures.beginnings.words import of_shape
from tensordbg.analysis.finding import Beginning
from tensordbg.analysis.program.description import Program
from tensordbg.model import Function, TensorRef
from tensordbg.operations.kinds import Kind

_SHAPES = (
    re.compile(r"First element had shape \[(?P<first>[\d,]*)\] and element \d+ had shape \[(?P<odd>[\d,]*)\]"),
    re.compile(r"Shapes are: \[tensor\]: \[(?P<odd>[\d,]*)\], \[batch\]: \[(?P<first>[\d,]*)\]"),
)

Shape = tuple[int, ...]


def unequal_shapes(message: str) -> tuple[Shape, Shape] | None:
    """The shape of the element that did not fit and that of those before it; None for any other message."""
    found = next(filter(None, (pattern.search(message) for pattern in _SHAPES)), None)
    return None if found is None else (_shape(found["odd"]), _shape(found["first"]))


def unequal_element(
    message: str, program: Program, functions: Sequence[Function], past: RecordedPast
) -> tuple[Beginning, ...]:
    """Where an element began whose shape is not that of those before it.

    Args:
        message: Of the error.
        program: Of the trace.
        functions: Those of input pipelines.
        past: What their runs gave.
    """
    shapes = unequal_shapes(message)
    if shapes is None:
        return ()
    odd, first = shapes
    made = past.last_of_shape(_outputs(program, functions), odd)
    if made is None:
        return ()
    axis = next((k for k, (a, b) in enumerate(zip(odd, first, strict=False)) if a != b), None)
    turn = _beginning_of(past, made, Odd(0, axis if len(odd) == len(first) else None))
    waiting = list(functions)
    while turn.made.operation.kind is Kind.ARGUMENT and turn.made.shape:
        # What the function was given came out of one that stands before it in the pipeline.
        own = program.sites[past.site_of(turn.made)].function
        waiting = [each for each in waiting if each.graph != own]
        before = past.last_of_shape(_outputs(program, waiting), turn.made.shape)
        if before is None:
            break
        turn = _beginning_of(past, before, Odd(0, axis if len(turn.made.shape) == len(odd) else None))
    return (Beginning("shape", made.tensor, turn.made.tensor, turn.made.op_type, of_shape(turn), turn.made.source),)


def _beginning_of(past: RecordedPast, made: Made, odd: Odd) -> Emergence:
    return beginning_of(past, made, odd) or Emergence(made, ())


def _outputs(program: Program, functions: Sequence[Function]) -> Iterator[TensorRef]:
    """What the functions give, and what that is handed on from."""
    for function in functions:
        for ref in function.outputs:
            yield from program.handed_on(ref, (Kind.IDENTITY, Kind.IDENTITY_OF_SEVERAL))


def _shape(words: str) -> Shape:
    return tuple(int(dim) for dim in words.split(",") if dim)
