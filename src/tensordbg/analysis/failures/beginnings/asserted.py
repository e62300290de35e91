"""Finds what an assertion compared: the tensors behind its condition, and in eager code the comparison of its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tensordbg.analysis.failures.beginnings.made import Made, Past, steps
from tensordbg.analysis.failures.beginnings.shapes import Emergence
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, SHAPE_OF
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

COMPARING = frozenset(
    {
        *(Kind.EQUAL, Kind.EQUAL_NEARLY, Kind.NOT_EQUAL),
        *(Kind.GREATER, Kind.GREATER_EQUAL, Kind.LESS, Kind.LESS_EQUAL),
    }
)
_MOST_LOOKED_AT = 100
_WHOLE = ("int", "uint")
_FAILED = "assertion failed"
_OF_COMPARISON = "did not hold"
"""Of an assertion that failed in eager code."""


def compared(past: Past, message: str, given: Sequence[Made | None]) -> list[Made]:
    """The tensors compared for the condition of an assertion, its first input; none for other errors."""
    made = given[0] if given and _FAILED in message else None
    for _ in steps():
        if made is None:
            return []
        inputs = past.inputs(made)
        if made.operation.kind in COMPARING:
            return [each for each in inputs if each is not None]
        made = next((each for each in inputs if each is not None and each.dtype == "bool"), None)
    return []


def is_of_comparison(message: str) -> bool:
    """Whether a message is that of an assertion which compared elements."""
    return _OF_COMPARISON in message


def asked_shapes(past: Past, made: Iterable[Made | None]) -> Iterator[Made]:
    """The tensors of whose shapes some whole numbers are, such as `tf.shape(x)[1]`."""
    waiting = [each for each in made if each is not None]
    seen = {each.key for each in waiting}
    while waiting and len(seen) < _MOST_LOOKED_AT:
        each = waiting.pop(0)
        inputs = [given for given in past.inputs(each) if given is not None]
        if each.operation.has(Trait.SHAPE_ONLY) or SHAPE_OF in each.attributes:
            yield from inputs[:1]
            continue
        numbers = [given for given in inputs if given.dtype.startswith(_WHOLE) and given.key not in seen]
        seen.update(given.key for given in numbers)
        waiting += numbers


def beginning_of(past: Past, made: Made) -> Emergence:
    """The operation that made a tensor that was compared, with those of its inputs whose numbers are known."""
    return Emergence(made, tuple(each for each in past.inputs(made) if each is not None and each.low is not None))


def comparison_at(program: Program, executions: Executions, locations: Locations, source: SourceLine | None) -> int:
    """The row of the last comparison that a line ran eagerly; `NONE` where it ran none."""
    if source is None:
        return NONE
    lines = {
        site.site: locations.own(locations.stack(site.stack))
        for site in program.sites.values()
        if site.function == NONE and operation_of(site).kind in COMPARING
    }
    at = [
        number for number, line in lines.items()
        if line is not None and (line.file, line.line) == (source.file, source.line)
    ]  # fmt: skip
    rows = np.flatnonzero(np.isin(executions.site, at) & (executions.function == NONE))
    return int(rows[-1]) if len(rows) else NONE
