"""Tensors of a dump: the elements, or what an operation of the debugger made of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from tensordbg.health.spec import TENSORFLOW_DTYPES
from tensordbg.importers.tfdbg2.tensors import FULL_TENSOR, described, elements_of
from tensordbg.model import NONE, SOMEWHERE, Health
from tensordbg.trace.events import TensorEvent
from tensordbg.trace.raw.record import RecordFlag


def event_of(operation: str, tensor: Any) -> TensorEvent:
    """The tensor that an operation of the debugger looked at; what can't be read stays unknown."""
    if operation == "DebugIdentity":
        return replace(described(FULL_TENSOR, tensor), elements=elements_of(tensor))
    numbers = elements_of(tensor)
    if numbers is None:
        return TensorEvent()
    if operation == "DebugNanCount":
        return _counted(int(numbers.sum()))
    return _summarized([float(number) for number in numbers.ravel()])


def _counted(nan: int) -> TensorEvent:
    """Of a tensor without NaN there may still be infinities."""
    health = Health(0, first_bad=SOMEWHERE)
    return TensorEvent(health=health, flags=RecordFlag.FINITENESS) if nan else TensorEvent()


def _summarized(numbers: list[float]) -> TensorEvent:
    """Of `DebugNumericSummary`: whether it was there, counts, extent, moments, dtype and shape."""
    if len(numbers) < 14 or not numbers[0]:
        return TensorEvent()
    size, nan, neg_inf, negative, zero, positive, pos_inf = (int(number) for number in numbers[1:8])
    least, largest, mean, variance = numbers[8:12]
    shape = tuple(int(number) for number in numbers[14:])
    finite = negative + zero + positive
    if len(shape) != int(numbers[13]) or math.prod(shape) != size or finite + nan + neg_inf + pos_inf != size:
        return TensorEvent()
    bad = nan + neg_inf + pos_inf
    health = Health(
        size=size,
        negative=negative,
        zero=zero,
        neg_inf=neg_inf,
        pos_inf=pos_inf,
        nan=nan,
        min=least if finite else math.nan,
        max=largest if finite else math.nan,
        sum=mean * finite if finite else 0.0,
        sum_squares=(variance + mean * mean) * finite if finite else 0.0,
        first_bad=SOMEWHERE if bad else NONE,
    )
    return TensorEvent(TENSORFLOW_DTYPES.get(int(numbers[12]), "unknown"), shape, size, health, RecordFlag.HEALTH)
