"""Which element of a dataset the failed operation was given: told where the dataset has origins, never guessed.

In a pipeline's function it is the element that the call was for. Elsewhere the walk goes back from what the operation
was given to a batch whose elements have names; if all on the way works element by element, a row of it is told too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensordbg.analysis.failures.beginnings.made import Made, Past
from tensordbg.analysis.failures.beginnings.numbers import OutOfRange, out_of_range, refused
from tensordbg.analysis.failures.pipeline import FailedElement
from tensordbg.analysis.finding import Beginning, SourceLine
from tensordbg.analysis.tensors.batch_origins import BatchOrigins, Names
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_ROW = re.compile(r"\bindices\[(\d+)[\],]")
_LISTED = re.compile(r"Label values: ((?:-?\d+ ?)+)")
_MOST_LOOKED_AT = 300
_TOLD = 4
_SAME_ROWS = (Kind.CAST, Kind.IDENTITY, Kind.IDENTITY_OF_SEVERAL)


@dataclass(frozen=True)
class Refused:
    """The inputs that an operation would not take."""

    message: str
    given: Sequence[Made | None]
    elements: Sequence[str]
    """Of what it was given, as text; empty where they are not known."""


@dataclass(frozen=True)
class _Found:
    """A tensor on the way back."""

    made: Made
    same_rows: bool
    """Whether its rows are those of what the operation was given."""


def element_of(batches: BatchOrigins, past: Past, what: Refused) -> tuple[Beginning, ...]:
    """The element of a dataset that the failed operation was given, or the elements of the batch."""
    if not batches.any:
        return ()
    if names := names_of_call(batches, past, what):
        return (_element_beginning(f"this call was for {_listed(names)}"),)
    wrong = out_of_range(what.message, what.given)
    behind = _behind_inputs(past, what, wrong)
    events = {each.made.event for found in behind.values() for each in found}
    rows = batches.names(events)
    for position, found in behind.items():
        batch = next((each for each in found if each.made.event in rows), None)
        if batch is not None:
            at = _row(what, position, wrong) if batch.same_rows else None
            return (_element_beginning(_of_batch(batch.made, rows[batch.made.event], at)),)
    return ()


def names_of_call(batches: BatchOrigins, past: Past, what: Refused) -> Names:
    """The names of the element for which a pipeline's function was called that failed; nothing where none is known."""
    if not batches.any:
        return ()
    behind = _behind_inputs(past, what, out_of_range(what.message, what.given))
    events = {each.made.event for found in behind.values() for each in found}
    elements = batches.runs(events)
    return next((names for event in sorted(events) if (names := elements.get(event))), ())


def _behind_inputs(past: Past, what: Refused, wrong: OutOfRange | None) -> dict[int, list[_Found]]:
    """By the input that was refused, or by each, what it was made of."""
    wanted = (refused(what.given, wrong) if wrong is not None else []) or range(len(what.given))
    return {position: list(_behind(past, what.given[position])) for position in wanted}


def one_of_elements(names: Sequence[Names], function: str) -> Beginning:
    """The elements for which those calls of a function were that gave nothing, where nothing tells which it was."""
    return _one_of_calls(len(names), function, f"for {_listed([' + '.join(each) for each in names])}")


def one_of_calls(arguments: Sequence[Sequence[tuple[str, str]]], function: str) -> Beginning:
    """The arguments of those calls of a function that gave nothing, where nothing tells which it was.

    Args:
        arguments: Of each call names and elements, empty for those that are not small.
        function: The function, `parse()`.
    """
    given = [_arguments(each) for each in arguments]
    return _one_of_calls(len(given), function, f"given {_listed(given, '; ')}" if all(given) else "")


def _one_of_calls(count: int, function: str, which: str) -> Beginning:
    words = f"{count} calls of {function} gave nothing, and the error is of one of them"
    return _element_beginning(f"{words}; they were {which}" if which else words)


def _arguments(arguments: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {elements}" for name, elements in arguments if elements)


def call_beginning(failed: FailedElement, function: str, arguments: Sequence[tuple[str, str]]) -> Beginning:
    """Which call of a pipeline's function it was, and what that was given.

    Args:
        failed: The operation that failed in it.
        function: The function, `parse()`.
        arguments: Names and elements, of those that are small.
    """
    given = _arguments(arguments)
    before = f"{failed.call:,} call{'s' * (failed.call != 1)} of {function} had begun before this one"
    if not failed.together:
        return _element_beginning(f"{before}, which was given {given}" if given else before)
    if given:
        words = (
            f"this call of {function} was given {given}; several run at a time, and {failed.call:,} had begun before"
        )
    else:
        words = f"{before}; several run at a time, so it may be another than element {failed.call:,}"
    return _element_beginning(words)


def item_beginning(item: str, source: SourceLine | None) -> Beginning:
    """Which item of a dataset it was whose code raised, or that fits no batch, and the line of what gave it."""
    return replace(_element_beginning(f"this call was for {item}"), source=source)


def _behind(past: Past, made: Made | None) -> Iterator[_Found]:
    """What a tensor was made of, the nearest first, as far as it was recorded."""
    waiting = [] if made is None else [_Found(made, True)]
    seen = {each.made.key for each in waiting}
    while waiting and len(seen) < _MOST_LOOKED_AT:
        found = waiting.pop(0)
        if found.made.event != NONE:
            yield found
        operation = found.made.operation
        same = found.same_rows and (operation.has(Trait.ELEMENT_BY_ELEMENT) or operation.kind in _SAME_ROWS)
        for each in past.inputs(found.made):
            if each is not None and each.key not in seen:
                seen.add(each.key)
                waiting.append(_Found(each, same and each.shape == found.made.shape))


def _row(what: Refused, position: int, wrong: OutOfRange | None) -> int | None:
    """The row of an input that holds what was refused, where the message or the elements tell it."""
    if (stated := _ROW.search(what.message)) is not None:
        return int(stated[1])
    if wrong is None:
        return None
    listed = _LISTED.search(what.message)
    elements = [int(each) for each in listed[1].split()] if listed else _parsed(what.elements[position])
    places = [k for k, each in enumerate(elements) if each in (wrong.number, [wrong.number])]
    return places[0] if len(places) == 1 else None


def _parsed(text: str) -> list[Any]:
    try:
        elements = json.loads(text)
    except ValueError:
        return []
    return elements if isinstance(elements, list) else []


def _of_batch(made: Made, names: Names, row: int | None) -> str:
    if row is not None and made.shape and made.shape[0] == len(names) and row < len(names):
        return f"row {row} of {made.tensor} came from {names[row]}"
    return f"the batch {made.tensor} came from {_listed(names)}"


def _element_beginning(words: str) -> Beginning:
    return Beginning("element", "", "", "", words, None)


def _listed(names: Sequence[str], separator: str = ", ") -> str:
    more = len(names) - _TOLD
    return separator.join(names[:_TOLD]) + (f" and {more:,} more" if more > 0 else "")
