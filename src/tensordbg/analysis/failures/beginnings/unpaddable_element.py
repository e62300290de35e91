"""An element of an input pipeline that is larger than what it is to be padded to: what made it so large.

The runtime says neither the element nor a size. The sizes asked for were given to the operation that made the stage of
the pipeline; the element is the first that was recorded and is larger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.failures.beginnings.shapes import Emergence, Odd, beginning_of
from tensordbg.analysis.failures.beginnings.words import of_shape, shape_text
from tensordbg.analysis.finding import Beginning
from tensordbg.analysis.program.description import Program
from tensordbg.model import Function
from tensordbg.operations.kinds import Kind

_MESSAGE = "Attempted to pad to a smaller size than the input element"


def is_unpaddable(message: str) -> bool:
    """Whether a message is of an element that is larger than what it is to be padded to."""
    return _MESSAGE in message


def unpaddable_element(
    program: Program, functions: Sequence[Function], past: RecordedPast, asked: Sequence[Made | None]
) -> tuple[Made, Beginning] | None:
    """The element that was too large, and where its size began.

    Args:
        program: Of the trace.
        functions: Those of input pipelines.
        past: What their runs gave.
        asked: What the operation was given that made the stage which pads.
    """
    for position, sizes in enumerate(_sizes(asked)):
        if sizes is None:
            continue
        refs = [function.outputs[position] for function in functions if position < len(function.outputs)]
        handed_on = (each for ref in refs for each in program.handed_on(ref, (Kind.IDENTITY, Kind.IDENTITY_OF_SEVERAL)))
        made = past.first_beyond(handed_on, sizes)
        if made is not None and made.shape is not None:
            axis = next(k for k, (dim, most) in enumerate(zip(made.shape, sizes, strict=True)) if 0 <= most < dim)
            turn = beginning_of(past, made, Odd(0, axis)) or Emergence(made, ())
            words = f"{of_shape(turn)}, and its element is padded to {shape_text(sizes)}"
            return made, Beginning("shape", made.tensor, turn.made.tensor, turn.made.op_type, words, turn.made.source)
    return None


def _sizes(asked: Sequence[Made | None]) -> Iterator[tuple[int, ...] | None]:
    """What each part of an element is padded to; None where the numbers can't be told."""
    for made in asked[2:]:  # behind the pipeline and the size of the batches
        if made is None or made.shape is None or len(made.shape) != 1 or made.dtype != "int64":
            continue
        number, low, high = made.shape[0], made.low, made.high
        told = low is not None and high is not None and number > 0
        if told and low == high:
            yield (int(low or 0),) * number
        elif told and low is not None and low >= 0:  # which of them is the largest is not known
            yield (int(high or 0),) * number
        else:
            yield None
