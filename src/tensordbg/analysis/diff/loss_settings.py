"""Settings of losses by their names, also where a run writes the loss out: `delta` of a Huber loss, `pos_weight`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import as_written, settings_of
from tensordbg.analysis.diff.losses import parts_of_loss
from tensordbg.analysis.diff.numbers import SUM
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.operations.kinds import Kind

_DELTA, _POSITIVE, _WEIGHT = "delta", "pos_weight", "weight"
_CHOOSES = frozenset({Kind.SELECT, Kind.MASKED_FILL})
_OF_DELTA = _CHOOSES | {Kind.MULTIPLY}
"""What a Huber loss does with its limit: of graphs it is not recorded what is chosen by."""
_NEAR = 1e-5
_SHOWN = 4
"""So many numbers of a formula are told."""
_Parts = tuple[Sequence[int], Sequence[int]]


def unlike_loss_settings(a: Apart, b: Apart, parts: _Parts) -> tuple[AttributeDifference, ...]:
    """Tells the setting by which two losses of equal values differ, where it has a name; nothing of others.

    Args:
        a: The reference.
        b: The other run.
        parts: What both losses are made of, the loss first.
    """
    deltas = [_delta(each, rows) for each, rows in zip((a, b), parts, strict=True)]
    if None not in deltas and not _near(deltas[0], deltas[1]):
        return (AttributeDifference(_DELTA, *map(as_written, deltas)),)
    return _unlike_weights(a, b, parts)


def settings_ahead(a: Apart, b: Apart, pair: Pair) -> tuple[AttributeDifference, ...]:
    """Tells the setting of two losses that are both written out, of which a pair is a part, and of equal errors."""
    rows = _with_parents(a, a.ahead(pair.a)), _with_parents(b, b.ahead(pair.b))
    agree = [any(each.label[error] >= 0 for row in parts for error in _magnitudes(each, row))
             for each, parts in zip((a, b), rows, strict=True)]  # fmt: skip
    return unlike_loss_settings(a, b, rows) if all(agree) else ()


def _with_parents(apart: Apart, rows: Sequence[int]) -> list[int]:
    return list(dict.fromkeys(each for row in rows for each in (row, *apart.side.edges.parents[row])))


def _magnitudes(apart: Apart, row: int) -> list[int]:
    """The magnitudes that go into a value."""
    side = apart.side
    return [each for each in side.edges.parents[row] if side.operation(each).kind is Kind.ABSOLUTE]


def _delta(apart: Apart, rows: Sequence[int]) -> float | None:
    """From which error on a Huber loss is no longer a square: a setting, or what magnitudes are compared with."""
    for row in rows:
        if apart.side.operation(row).kind is Kind.HUBER_LOSS:
            told = settings_of(apart, row).get(_DELTA)
            return float(told) if isinstance(told, (int, float)) else None
    chooses = any(apart.side.operation(row).kind in _CHOOSES for row in rows)
    return next((found for row in rows for found in _compared_with(apart, row)), None) if chooses else None


def numbers_text(apart: Apart, row: int) -> str:
    """Tells the numbers that a loss is given, be it by an operation or where it is written out; empty for none."""
    numbers = {number for part in parts_of_loss(apart, row) for number in _single_numbers(apart, part)}
    told = sorted(numbers - {0.0, 1.0})
    return ", ".join(str(as_written(number)) for number in told[:_SHOWN])


def _compared_with(apart: Apart, row: int) -> Iterator[float]:
    """The number by which is chosen whether a magnitude or its square counts, or that the magnitude counts times."""
    if apart.side.operation(row).kind in _OF_DELTA and _magnitudes(apart, row):
        yield from _single_numbers(apart, row)


def _single_numbers(apart: Apart, row: int) -> Iterator[float]:
    """The single numbers from outside that an operation is given."""
    side, size = apart.side, apart.side.numbers.size
    given = (each for each in side.edges.parents[row] if size[each] == 1 and not side.edges.parents[each])
    yield from (_number(apart, each) for each in given)


def _unlike_weights(a: Apart, b: Apart, parts: _Parts) -> tuple[AttributeDifference, ...]:
    """Tells single numbers that weigh a binary cross-entropy; one that weighs all labels scales the whole loss."""
    given = [_weights(each, rows) for each, rows in zip((a, b), parts, strict=True)]
    if given[0] is None or given[1] is None or given[0][1] == given[1][1]:
        return ()
    numbers = [found[1] for found in given if found is not None]
    losses = [_number(each, found[0]) for each, found in zip((a, b), given, strict=True) if found is not None]
    scales = losses[1] != 0 and numbers[1] != 0 and _near(losses[0] / losses[1], numbers[0] / numbers[1])
    return (AttributeDifference(_WEIGHT if scales else _POSITIVE, *map(as_written, numbers)),)


def _weights(apart: Apart, rows: Sequence[int]) -> tuple[int, float] | None:
    """The operation of a binary cross-entropy, and the single number that it is given besides; 1 for none."""
    side, size = apart.side, apart.side.numbers.size
    row = next((each for each in rows if side.operation(each).kind is Kind.SIGMOID_LOSS), None)
    if row is None:
        return None
    given = [each for each in side.edges.parents[row] if size[each] == 1]
    more = sum(size[each] > 1 for each in side.edges.parents[row]) > 2
    return None if more or len(given) > 1 else (row, _number(apart, given[0]) if given else 1.0)


def _number(apart: Apart, row: int) -> float:
    return float(apart.side.numbers.statistics[row, SUM])


def _near(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and bool(np.isclose(a, b, rtol=_NEAR, atol=0.0))
