"""The past of what was refused before anything was computed: tensors that Python held, as they were told at the end.

Where one of them was made by an eager operation, what was recorded goes on from there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.operations import named
from tensordbg.model import NONE, StatedTensor
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import PARAMETER
from tensordbg.operations.traits import Trait

_SLOT = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True)
class _Place:
    """Names a tensor of the list."""

    number: int


class StatedPast:
    """The past of tensors that a list tells of, and a recording where the list ends."""

    def __init__(
        self,
        tensors: Sequence[StatedTensor],
        source: Callable[[int], SourceLine | None],
        recorded: RecordedPast | None,
        data: Sequence[StatedTensor] = (),
        at: SourceLine | None = None,
    ) -> None:
        """Puts them together.

        Args:
            tensors: Those that were refused, and behind them what they were made of.
            source: Gives the user's own line of a stack.
            recorded: Where the list ends.
            data: The parts of what the input pipeline gave, in its order, and behind them likewise.
            at: The line that failed: what it made of nothing else, it made by the data.
        """
        behind = len(tensors)
        moved = [replace(each, inputs=tuple(place + behind for place in each.inputs)) for each in data]
        self._tensors = [*tensors, *moved]
        self._source = source
        self._recorded = recorded
        self._data = behind
        self._parts = len(data)
        self._at = at

    def refused(self, count: int) -> list[Made | None]:
        """The first of the tensors: what was refused."""
        return [self._made(number) for number in range(min(count, len(self._tensors)))]

    def name(self, made: Made) -> str:
        """The name of a tensor, or of its variable; of a view also what it shows: `aten::t:0 of head.weight`."""
        shown = made
        while not shown.called and isinstance(shown.key, _Place) and made.operation.has(Trait.REARRANGES):
            of = [each for each in self.inputs(shown) if each is not None]
            if len(of) != 1:
                break
            shown = of[0]
        variable = self._recorded.variable_of(shown) if self._recorded is not None else ""
        name = variable or shown.called or shown.tensor
        return name if shown is made else f"{made.tensor} of {name}"

    def inputs(self, made: Made) -> Sequence[Made | None]:
        """See `Past`."""
        if made.operation.has(Trait.FROM_PIPELINE) and self._data < len(self._tensors):
            return self._part(made)
        if not isinstance(made.key, _Place):
            return [] if self._recorded is None else self._recorded.inputs(made)
        told = self._tensors[made.key.number].inputs
        return [self._made(number) for number in told] or self._built_for(made)

    def _part(self, made: Made) -> Sequence[Made | None]:
        """The part of the pipeline's data that a tensor is."""
        slot = made.tensor.rpartition(":")[2]
        place = self._data + int(slot) if _SLOT.fullmatch(slot) else len(self._tensors)
        part = self._made(place) if place < len(self._tensors) else None
        if part is None or not (part.dtype or part.source):
            return [None]
        # Of one batch among many only the line is known.
        return [part if part.dtype else replace(part, dtype=made.dtype, shape=made.shape)]

    def _built_for(self, made: Made) -> Sequence[Made]:
        """The only part of the data for whose shape a model was built when the line that failed was given it."""
        if made.source is None or made.source != self._at or not made.shape or made.shape[0] != -1:
            return []
        parts = [self._made(number) for number in range(self._data, self._data + self._parts)]
        fitting = [part for part in parts if part.shape and part.source and _is_batch_of(made.shape, part.shape)]
        return [replace(fitting[0], shape=made.shape)] if len(fitting) == 1 else []

    def _made(self, number: int) -> Made:
        told = self._tensors[self._part_of_data(number)]
        if told.execution != NONE and self._recorded is not None:
            recorded = self._recorded.output(told.execution, told.slot)
            if recorded is not None:
                called = "" if recorded.op_type == PARAMETER else told.called
                return replace(recorded, called=called, shape=recorded.shape if told.shape is None else told.shape)
        operation = named(told.op_type)
        hands_on = operation.has(Trait.REARRANGES) or operation.kind is Kind.ARGUMENT
        plain = hands_on and len(told.inputs) == 1
        of = self._made(told.inputs[0]) if plain and told.inputs[0] > number else None
        return Made(
            key=_Place(number),
            tensor=told.tensor,
            op_type=told.op_type,
            dtype=told.dtype,
            shape=told.shape,
            source=self._source(told.stack),
            low=told.low if told.low is not None or of is None else of.low,
            high=told.high if told.high is not None or of is None else of.high,
            attributes=json.loads(told.attributes),
            called=told.called,
        )

    def _part_of_data(self, number: int) -> int:
        """The only part of the data that an array without a name is, by its shape and type; else itself."""
        told = self._tensors[number]
        if number >= self._data or told.op_type or told.stack != NONE or told.inputs or not told.shape:
            return number
        parts = range(self._data, self._data + self._parts)
        fitting = [k for k in parts if (self._tensors[k].dtype, self._tensors[k].shape) == (told.dtype, told.shape)]
        return fitting[0] if len(fitting) == 1 else number


def _is_batch_of(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    return len(shape) == len(whole) and shape[1:] == whole[1:]
