"""A tensor on the way back from an operation that failed: what made it, and what is known without its elements."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.operations import named
from tensordbg.operations.operation import Operation

_MOST_STEPS = 200
"""So far back is looked."""


@dataclass(frozen=True)
class Made:
    """A tensor, and the operation that made it."""

    key: Hashable
    """Names it to the `Past` that it is of."""
    tensor: str
    """Name and slot, `Reshape:0`."""
    op_type: str
    dtype: str
    """Empty where it is not known."""
    shape: tuple[int, ...] | None
    """-1 for a dimension that is not known."""
    source: SourceLine | None
    """The innermost line of the user's own code."""
    low: float | None = None
    """The smallest number in it, None where it is not known; `high` and `total` likewise."""
    high: float | None = None
    total: float | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    event: int = -1
    """The number in the trace of the event that tells of it, `NONE` where none does."""
    layer: str = ""
    """The innermost layer that the operation belongs to, by its path."""
    earlier: tuple[tuple[int, ...], ...] = ()
    """Other shapes that it had before, the latest last; only of what came out of an input pipeline."""
    shared: bool = False
    """Whether what is said to take it may have taken a part of it: a view is no operation of the trace."""
    called: str = ""
    """What the line that failed calls it; empty where that has no name for it."""
    plain: bool = False
    """Whether it is a number of the program's text, which takes the type of the tensor that it meets."""

    @property
    def operation(self) -> Operation:
        """The operation as the vocabulary describes it."""
        return named(self.op_type)

    @property
    def size(self) -> int | None:
        """How many elements it has."""
        if self.shape is None or any(dim < 0 for dim in self.shape):
            return None
        size = 1
        for dim in self.shape:
            size *= dim
        return size


class Past(Protocol):
    """Whatever knows what operations were given: a recording, or what was told of a graph that was not finished."""

    def inputs(self, made: Made) -> Sequence[Made | None]:
        """The inputs of the operation that made a tensor, in order; None for those that are not known."""


def steps() -> range:
    """As many steps as are taken back along the data."""
    return range(_MOST_STEPS)


def walk_back(past: Past, given: Iterable[Made]) -> Iterator[tuple[Made, Sequence[Made]]]:
    """Gives some tensors and what they were made from, the nearest first, each with its inputs that are known."""
    waiting = [*given]
    seen = {made.key for made in waiting}
    for _ in steps():
        if not waiting:
            return
        made = waiting.pop(0)
        inputs = [each for each in past.inputs(made) if each is not None]
        yield made, inputs
        waiting += [each for each in inputs if each.key not in seen]
        seen.update(each.key for each in inputs)
