"""Ragged tensors that an assertion compared: each as the one value that it is for the program, with its rows.

TensorFlow compares the places where their rows begin, under names of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from tensordbg.analysis.failures.beginnings import asserted
from tensordbg.analysis.failures.beginnings.find import Refusal, before_the_line
from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.finding import Beginning, InputView
from tensordbg.analysis.program.assigned import assigned_names
from tensordbg.analysis.program.composite_notes import eager_composite, wholes
from tensordbg.analysis.program.description import Program
from tensordbg.enumeration import rows_text
from tensordbg.model import TensorRef


def ragged_parts(
    program: Program, past: RecordedPast, refusal: Refusal, given: Iterable[str]
) -> tuple[tuple[InputView, ...], tuple[Beginning, ...]]:
    """The ragged tensors whose rows were compared, and where each came from; nothing where there were not two.

    Args:
        program: Of the trace.
        past: Of the operation that failed.
        refusal: The operation that failed.
        given: The elements of what it was given, as texts; empty ones where they are not known.
    """
    compared = asserted.compared(past, refusal.message, refusal.given)
    began = before_the_line(refusal, past, compared) if compared else ()
    found = {ref: made for made in began if (ref := _whole(program, past, made)) is not None}
    if len(found) < 2:
        return (), ()
    splits = [each for text in given if (each := splits_in(text)) is not None]
    names = {ref: _name(program, ref) for ref in found}
    words = {ref: rows_of(made, splits) for ref, made in found.items()}
    return (
        tuple(InputView(names[ref], "", None, elements=words[ref]) for ref in found),
        tuple(
            Beginning("value", names[ref], made.tensor, made.op_type, f"{names[ref]} came {words[ref]}", made.source)
            for ref, made in found.items()
        ),
    )


def _whole(program: Program, past: RecordedPast, made: Made) -> TensorRef | None:
    """The elements of the ragged tensor of which a tensor says where the rows begin; None of any other tensor."""
    if made.shape is None or len(made.shape) != 1 or made.low != 0 or not made.dtype.startswith("int"):
        return None
    if (part := past.ref_of(made)) is None:
        return None
    notes = (eager_composite(site.attributes) for site in program.sites.values())
    eagerly = (each.elements for each in notes if each is not None and part in each.parts)
    return next(eagerly, wholes(program.sites.values()).get(part))


def _name(program: Program, ref: TensorRef) -> str:
    """By a statement of the program, else that of the operation which made the elements."""
    named = assigned_names(program, [ref.site], {ref}).get(ref, {})
    return next(iter(named), f"{program.sites[ref.site].name}:{ref.slot}")


def splits_in(text: str) -> list[int] | None:
    """The places where rows begin and the last ends, by the elements of a tensor as text; None of another tensor."""
    try:
        numbers = json.loads(text)
    except ValueError:
        return None
    if not isinstance(numbers, list) or len(numbers) < 2 or not all(type(each) is int for each in numbers):
        return None
    return numbers if numbers[0] == 0 and numbers == sorted(numbers) else None


def rows_of(made: Made, splits: Sequence[list[int]]) -> str:
    """`with rows of 2 and 1 elements`; how many there are at least."""
    same = [each for each in splits if (len(each),) == made.shape and (each[-1], sum(each)) == (made.high, made.total)]
    if same and all(each == same[0] for each in same):
        return rows_text(np.diff(same[0]).tolist())
    return f"with {(made.shape or (1,))[0] - 1:,} rows of {made.high or 0:,.0f} elements together"
