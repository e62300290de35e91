"""Where that came from on which an operation failed: a shape, a data type, a number out of range or one that wrapped.

Each is found by looking at shapes, types and numbers on the way back from what the operation was given. What is not
known is not said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tensordbg.analysis.failures.beginnings import asserted, dtypes, numbers, shapes, sizes
from tensordbg.analysis.failures.beginnings.cuts import cut
from tensordbg.analysis.failures.beginnings.made import Made, Past
from tensordbg.analysis.failures.beginnings.shapes import Emergence, Odd
from tensordbg.analysis.failures.beginnings.unsolvable import unsolvable
from tensordbg.analysis.failures.beginnings.words import (
    of_dtype,
    of_number,
    of_numbers,
    of_shape,
    of_wrap,
    shape_text,
)
from tensordbg.analysis.failures.beginnings.wraps import wrapped
from tensordbg.analysis.finding import Beginning, SourceLine
from tensordbg.analysis.program.operations import named
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import PARAMETER
from tensordbg.operations.traits import Trait

_MOST_LOOKED_AT = 300
"""So many tensors behind a refused one are asked whether they went round."""
_MOST = 4
_AROUND_A_CALL = re.compile(r"\n\s*Arguments received by .*\Z", re.DOTALL)
"""What Keras adds to a message, with the shapes and types of whatever the layer was called with."""


@dataclass(frozen=True)
class Refusal:
    """An operation that failed, with what it was given."""

    op_type: str
    message: str
    source: SourceLine | None
    names: Sequence[str]
    """Of the inputs, as the operation's own graph has them."""
    given: Sequence[Made | None]
    asked: Sequence[str] = ()
    """What the program's own code, which raised, asked of each; see `StatedInput.asked`."""


def find_beginnings(refusal: Refusal, past: Past) -> tuple[Beginning, ...]:
    """Where what did not fit came into being, the likeliest to be fixed first."""
    if any(refusal.asked):
        return tuple(dict.fromkeys(_of_asked(refusal, past)))[:_MOST]
    refusal = replace(refusal, message=_AROUND_A_CALL.sub("", refusal.message))
    if made := asserted.compared(past, refusal.message, refusal.given):
        return tuple(compared_beginnings(refusal, past, made))
    if asserted.is_of_comparison(refusal.message) and (of_shapes := [*_of_asked_shapes(refusal, past, refusal.given)]):
        return tuple(of_shapes)
    found = [*_of_cut(refusal, past), *_of_matrices(refusal, past)]
    found = found or [*_of_numbers(refusal, past)] or [*_of_types(refusal, past)]
    if not found and not dtypes.is_of_type_alone(refusal.message):
        found = [*_of_sizes(refusal, past), *_of_shapes(refusal, past)]
    # On one line several may be made by operations of one name, each in a way of its own.
    unique = {(each.what, each.tensor, each.explanation, each.source): each for each in found}
    return tuple(unique.values())[:_MOST]


def _of_asked(refusal: Refusal, past: Past) -> Iterator[Beginning]:
    """Where the shapes and types came into being of which the program's own code asked where it raised."""
    odd: list[Odd] = []
    for position, (words, made) in enumerate(zip(refusal.asked, refusal.given, strict=False)):
        for word in words.split() if made is not None else ():
            if word == "dtype" and made is not None:
                turn = dtypes.beginning_of(past, made)
                if not _is_in_error_line(refusal, turn):
                    yield _beginning("dtype", refusal, position, turn, of_dtype(turn))
            else:
                odd += shapes.asked_for(position, word, made.shape if made is not None else None)
    yield from _of_odd(refusal, past, odd)


def _of_cut(refusal: Refusal, past: Past) -> Iterator[Beginning]:
    turn = cut(past, refusal.message, refusal.given)
    if turn is not None:
        yield _beginning("dtype", refusal, 0, turn, f"{of_dtype(turn)}, and no gradient goes through that")


def _of_matrices(refusal: Refusal, past: Past) -> Iterator[Beginning]:
    for position, matrix, made in unsolvable(past, refusal.given):
        words = f"{made.op_type} was given {matrix.tensor} {shape_text(matrix.shape)}, which {made.operation.of_matrix}"
        yield _beginning("value", refusal, position, Emergence(matrix, ()), words)


def compared_beginnings(refusal: Refusal, past: Past, compared: Sequence[Made | None]) -> Iterator[Beginning]:
    """Where those came from that an assertion compared."""
    for each in before_the_line(refusal, past, compared):
        turn = asserted.beginning_of(past, each)
        yield replace(_beginning("value", refusal, NONE, turn, of_numbers(turn)), given=each.tensor)
    yield from _of_asked_shapes(refusal, past, compared)


def _of_asked_shapes(refusal: Refusal, past: Past, compared: Sequence[Made | None]) -> Iterator[Beginning]:
    """Where the shapes came into being whose sizes an assertion compared."""
    for made in asserted.asked_shapes(past, compared):
        turn = shapes.beginning_of(past, made, Odd(0, None))
        if turn is not None and not _is_in_error_line(refusal, turn):
            yield _beginning("shape", refusal, NONE, turn, of_shape(turn))


def before_the_line(refusal: Refusal, past: Past, compared: Sequence[Made | None]) -> Iterator[Made]:
    """The numbers that an assertion compared, as they were before the line that failed; itself, made there."""
    for made in compared:
        yield from () if made is None else _before_the_line(refusal, past, made)


def _before_the_line(refusal: Refusal, past: Past, made: Made) -> Iterator[Made]:
    """The numbers that a tensor was made of on the line that failed, by the lines before it; itself, made there."""
    waiting, seen = [made], {made.key}
    while waiting and len(seen) < _MOST_LOOKED_AT:
        each = waiting.pop(0)
        if each.source is None or each.operation.kind is Kind.CONSTANT:
            continue
        if not _is_of(refusal, each.source):
            if each.low is not None:
                yield each
            continue
        # A size is made of no numbers.
        for given in () if each.operation.has(Trait.SHAPE_ONLY) else past.inputs(each):
            if given is not None and given.key not in seen:
                seen.add(given.key)
                waiting.append(given)


def _is_of(refusal: Refusal, source: SourceLine) -> bool:
    return refusal.source is not None and (source.file, source.line) == (refusal.source.file, refusal.source.line)


def _of_numbers(refusal: Refusal, past: Past) -> Iterator[Beginning]:
    wrong = numbers.out_of_range(refusal.message, refusal.given)
    if wrong is None:
        return
    places = numbers.refused(refusal.given, wrong, refusal.op_type)
    indices = named(refusal.op_type).indices if refusal.op_type else ()
    for position in [each for each in places if each in indices] or places:
        made = refusal.given[position]
        turn = None if made is None else numbers.beginning_of(past, made, wrong)
        if made is None or turn is None:
            continue
        for each, inputs in _behind(past, made):
            if each.key != turn.made.key and wrapped(each, inputs):
                yield _beginning(
                    "wrapped", refusal, position, Emergence(each, inputs), of_wrap(Emergence(each, inputs))
                )
        went_round = wrapped(turn.made, past.inputs(turn.made))
        if went_round or not _is_in_error_line(refusal, turn):
            words = of_wrap(turn) if went_round else of_number(turn, wrong.number)
            yield _beginning("wrapped" if went_round else "value", refusal, position, turn, words)


def _behind(past: Past, made: Made) -> Iterator[tuple[Made, tuple[Made, ...]]]:
    """The tensors that one was made from, the nearest first, with what each was made of, where all of that is known."""
    waiting, seen = [made], {made.key}
    while waiting and len(seen) < _MOST_LOOKED_AT:
        each = waiting.pop(0)
        inputs = [given for given in past.inputs(each) if given is not None]
        if len(inputs) == len(past.inputs(each)):
            yield each, tuple(inputs)
        for given in inputs:
            if given.key not in seen:
                seen.add(given.key)
                waiting.append(given)


def _of_types(refusal: Refusal, past: Past) -> Iterator[Beginning]:
    positions = dtypes.differing(refusal.message, [each.dtype if each else "" for each in refusal.given])
    turns = [(k, dtypes.beginning_of(past, made)) for k in positions if (made := refusal.given[k]) is not None]
    # What was made of another type is likelier to be meant otherwise than what came in like this.
    # A parameter has the type of its model: what meets it is likelier to be wrong.
    for k, turn in sorted(turns, key=lambda pair: (not pair[1].given, _is_parameter(refusal, pair[0]))):
        if not _is_in_error_line(refusal, turn):
            yield _beginning("dtype", refusal, k, turn, of_dtype(turn))


def _is_parameter(refusal: Refusal, position: int) -> bool:
    made = refusal.given[position]
    return made is not None and made.op_type == PARAMETER


def _of_shapes(refusal: Refusal, past: Past) -> Iterator[Beginning]:
    given = [None if each is None else each.shape for each in refusal.given]
    yield from _of_odd(refusal, past, shapes.odds(refusal.op_type, refusal.message, given))


def _of_odd(refusal: Refusal, past: Past, odds: Sequence[Odd]) -> Iterator[Beginning]:
    turns: list[tuple[Odd, Emergence]] = []
    for odd in odds:
        made = refusal.given[odd.position]
        turn = None if made is None else shapes.beginning_of(past, made, odd)
        if turn is not None:
            turns.append((odd, turn))
    for odd, turn in sorted(turns, key=_likeliness):
        if not _is_in_error_line(refusal, turn):
            yield _beginning("shape", refusal, odd.position, turn, of_shape(turn))


def _of_sizes(refusal: Refusal, past: Past) -> Iterator[Beginning]:
    if sizes.is_of_size(refusal.op_type, refusal.message):
        turns = sizes.beginnings_of(past, refusal.given)
        for position, turn in sorted(turns, key=lambda pair: not pair[1].given):
            if not _is_in_error_line(refusal, turn):
                yield _beginning("size", refusal, position, turn, of_numbers(turn))


def _likeliness(pair: tuple[Odd, Emergence]) -> int:
    """First what was made of what would have fitted, then what was made of anything else, then what came like this."""
    odd, turn = pair
    if not turn.given:
        return 1 if turn.made.earlier else 3
    return 0 if any(odd.wanted in (each.shape or ()) for each in turn.given) else 2


def _is_in_error_line(refusal: Refusal, turn: Emergence) -> bool:
    """Whether the line of the error says as much: what it made of nothing it shows."""
    source = turn.made.source
    if source is None:
        return True
    if turn.made.operation.has(Trait.FROM_PIPELINE):
        return False
    same = refusal.source is not None and (source.file, source.line) == (refusal.source.file, refusal.source.line)
    return same and not turn.given


def _beginning(what: str, refusal: Refusal, position: int, turn: Emergence, explanation: str) -> Beginning:
    made = turn.made
    name = refusal.names[position] if 0 <= position < len(refusal.names) else ""
    return Beginning(what, name, made.tensor, made.op_type, explanation, made.source)
