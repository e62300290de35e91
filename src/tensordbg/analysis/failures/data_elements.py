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
    wrong = out_of_range(what.message, what.given)
    wanted = (refused(what.given, wrong) if wrong is not None else []) or range(len(what.given))
    behind = {position: list(_behind(past, what.given[position])) for position in wanted}
    events = {each.made.event for found in behind.values() for each in found}
    elements = batches.runs(events)
    of_one = next((names for event in sorted(events) if (names := elements.get(event))), ())
    if of_one:
        return (_element_beginning(f"this call was for {_listed(of_one)}"),)
    rows = batches.names(events)
    for position, found in behind.items():
        batch = next((each for each in found if each.made.event in rows), None)
        if batch is not None:
            at = _row(what, position, wrong) if batch.same_rows else None
            return (_element_beginning(_of_batch(batch.made, rows[batch.made.event], at)),)
    return ()


def call_beginning(failed: FailedElement, function: str, arguments: Sequence[tuple[str, str]]) -> Beginning:
    """Which call of a pipeline's function it was, and what that was given.

    Args:
        failed: The operation that failed in it.
        function: The function, `parse()`.
        arguments: Names and elements, of those that are small.
    """
    given = ", ".join(f"{name} {elements}" for name, elements in arguments if elements)
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


def _listed(names: Names) -> str:
    more = len(names) - _TOLD
    return ", ".join(names[:_TOLD]) + (f" and {more:,} more" if more > 0 else "")
