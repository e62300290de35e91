"""Where a data type came from that did not fit: the walk back to the operation that put out a type it was not given."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tensordbg.analysis.failures.beginnings.made import Made, Past, steps
from tensordbg.analysis.failures.beginnings.shapes import Emergence
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_OF_TYPES = re.compile(
    r"\b(?:was expected to be an? \w+ tensor but is|does not match type|dtype|data ?type|scalar types?"
    r"|type \([\w.]+\) and \w+ type|have types \[[\w, ]+\] that don't all match)\b",
    re.IGNORECASE,
)
_OF_ONE = re.compile(
    r"must be of type|requested dtype|must have d?type|dtype must be|(?:unsupported|invalid) d?type"
    r"|Expected \w+ passed to parameter"
    r"|not in list of allowed values|not implemented for '|expected scalar type|floating point type",
    re.IGNORECASE,
)
"""Of the type of a tensor that goes with no other."""
_NUMBERED = re.compile(r"input #(\d+)\(zero-based\) was expected")
_OF_SECOND = re.compile(r"expected target|'indices' to have one of", re.IGNORECASE)
"""Of labels and indices, which PyTorch takes second."""

_OF_TYPE_ALONE = re.compile(r"has DataType \w+ not in list of allowed values")


def is_of_type_alone(message: str) -> bool:
    """Whether a message is of the type of one tensor, whatever it says of values."""
    return _OF_TYPE_ALONE.search(message) is not None


def differing(message: str, given: Sequence[str]) -> list[int]:
    """Which inputs are of types that do not go together; empty where the error is not of types."""
    typed = [k for k, dtype in enumerate(given) if dtype]
    if len(typed) == 1 and _OF_ONE.search(message):
        return typed
    if not _OF_TYPES.search(message):
        return []
    numbered = _NUMBERED.search(message)
    if numbered is not None and int(numbered[1]) < len(given):
        odd = int(numbered[1])
        other = next((k for k, dtype in enumerate(given) if dtype and dtype != given[odd]), None)
        return [odd] if other is None else [odd, other]
    if 1 in typed and len(typed) > 1 and _OF_SECOND.search(message):
        return [1]
    kinds = {dtype: k for k, dtype in reversed([*enumerate(given)]) if dtype}
    return sorted(kinds.values()) if len(kinds) == 2 else []


def beginning_of(past: Past, made: Made) -> Emergence:
    """The operation that made what is of this type of what is of another, or of nothing."""
    for _ in steps():
        inputs = [each for each in past.inputs(made) if each is not None]
        alike = [each for each in inputs if each.dtype == made.dtype]
        # A constant is made of the type of what it is computed with.
        before = next((each for each in alike if each.operation.kind is not Kind.CONSTANT), next(iter(alike), None))
        if before is None:
            other = tuple(each for each in inputs if each.dtype and each.dtype != made.dtype)[:1]
            return Emergence(made, () if made.operation.has(Trait.READS, Trait.FROM_PIPELINE) else other)
        if before.source is None and made.source is not None:  # it came in at this line
            return Emergence(made, ())
        made = before
    return Emergence(made, ())
