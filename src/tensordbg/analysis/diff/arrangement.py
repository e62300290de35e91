"""Differences of where elements lie: what was measured of the whole does not tell them, but what is made of it does."""

from __future__ import annotations

from collections.abc import Iterable

from tensordbg.analysis.diff.apart import Apart, Pair, are_of_one_kind
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.numbers import HIGH, INFINITIES, LOW
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_FILLING = 1e4
"""Numbers so large are what masks fill in, mostly."""
_OF_TWO = frozenset({Kind.ADD, Kind.SUBTRACT, Kind.MULTIPLY, Kind.DIVIDE})
_ONE_BY_ONE = frozenset(
    {
        Kind.TANH,
        Kind.SIGMOID,
        Kind.RELU,
        Kind.RELU6,
        Kind.LEAKY_RELU,
        Kind.ELU,
        Kind.SELU,
        Kind.GELU,
        Kind.SILU,
        Kind.SOFTPLUS,
        Kind.SOFTSIGN,
        Kind.EXP,
        Kind.LOG,
        Kind.NEGATE,
        Kind.ABSOLUTE,
        Kind.SQUARE,
        Kind.SQRT,
        Kind.CLIP,
        *_OF_TWO,
    }
)
"""Operations that make of each element one: a smaller result is that of a part."""
_PARTS = frozenset({Kind.SLICE, Kind.UNPACK, Kind.GATHER})
_KEEPING = _ONE_BY_ONE | {Kind.SOFTMAX, Kind.LOG_SOFTMAX, Kind.NORMALISE}
"""Operations whose result is as large as what they are given."""
DRIFTING = 1e-2
"""What is nearer drifts apart in a training; elements in another order make a product that has nothing of the other."""
_WALKED = 8
"""So many values are walked back through to the whole that something is made of a part of."""


def in_another_order(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two products or sums of the same values differ, so that one has its elements in another order."""
    drifts = b.side.numbers.step[pair.b] > b.side.numbers.step.min()
    if (drifts and pair.distance < DRIFTING) or not (_joins(a, pair.a) and _joins(b, pair.b)):
        return False
    rows_a, rows_b = _whole_inputs(a, pair.a), _whole_inputs(b, pair.b)
    if any(each.label[row] < 0 and not each.constant[row] for each, rows in ((a, rows_a), (b, rows_b)) for row in rows):
        return False
    mine, theirs = _labels(a, rows_a), _labels(b, rows_b)
    contract = all(apart.side.operation(row).has(Trait.CONTRACTS) for apart, row in ((a, pair.a), (b, pair.b)))
    if contract:
        return bool(mine) and (mine <= theirs or theirs <= mine)
    return mine == theirs and len(mine) > 1 and are_of_one_kind(a, b, pair.a, pair.b)


def _joins(apart: Apart, row: int) -> bool:
    operation = apart.side.operation(row)
    return operation.has(Trait.CONTRACTS) or operation.kind in _OF_TWO


def _whole_inputs(apart: Apart, row: int) -> list[int]:
    """The values of more than one element that go into an operation, seen through what only one run rearranges."""
    side = apart.side

    def back(each: int) -> Iterable[int]:
        return side.edges.parents[each] if each == row or _is_rearranged(apart, each) else ()

    found = reached(row, back, _WALKED)
    return [each for each in found
            if each != row and side.numbers.size[each] > 1 and not _is_rearranged(apart, each)]  # fmt: skip


def takes_part(apart: Apart, row: int) -> bool:
    """Tells whether a part of a value that both runs have goes into an operation, which only this run has by itself."""
    side = apart.side
    parts = (each for each in side.edges.parents[row] if _is_rearranged(apart, each))
    return any(side.operation(each).kind in _PARTS for each in parts)


def _is_rearranged(apart: Apart, row: int) -> bool:
    return bool(apart.label[row] < 0) and apart.side.operation(row).has(Trait.REARRANGES)


def _labels(apart: Apart, rows: list[int]) -> frozenset[int]:
    return frozenset(int(apart.label[row]) for row in rows if apart.label[row] >= 0)


def other_parts(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two operations go on from parts of one value, and not from the same: gates, heads."""
    rows_a, rows_b = _whole_inputs(a, pair.a), _whole_inputs(b, pair.b)
    if _labels(a, rows_a) == _labels(b, rows_b):
        return _takes_part(a, pair.a, rows_a) and _takes_part(b, pair.b, rows_b)
    mine, theirs = a.taken_whole(pair.a), b.taken_whole(pair.b)
    return bool(_wholes(a, pair.a, mine - theirs) & _wholes(b, pair.b, theirs - mine))


def _takes_part(apart: Apart, row: int, given: list[int]) -> bool:
    size = apart.side.numbers.size
    whole = [size[each] for each in given]
    return apart.side.operation(row).kind in _KEEPING and bool(whole) and size[row] < max(whole)


def _wholes(apart: Apart, row: int, labels: frozenset[int]) -> frozenset[int]:
    """The labels of larger values of which some inputs of an operation are made element by element."""
    side = apart.side
    size, parents = side.numbers.size, side.edges.parents

    def back(each: int) -> Iterable[int]:
        return parents[each] if side.operation(each).kind in _ONE_BY_ONE else ()

    given = [each for each in parents[row] if int(apart.label[each]) in labels]
    found = (each for begin in given for each in reached(begin, back, _WALKED) if size[each] > size[begin])
    return frozenset(int(apart.label[each]) for each in found if apart.label[each] >= 0)


def fill_unlike(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two operations fill large numbers into values that both runs have, and not in the same places."""
    return _fills(a, pair.a) and _fills(b, pair.b) and bool(a.taken_whole(pair.a) & b.taken_whole(pair.b))


def _fills(apart: Apart, row: int) -> bool:
    """Whether a value is filled, and one that it is made of and both runs have is not."""
    known = (each for each in apart.side.edges.parents[row] if apart.label[each] >= 0)
    size = apart.side.numbers.size
    return _is_filled(apart, row) and any(size[each] > 1 and not _is_filled(apart, each) for each in known)


def _is_filled(apart: Apart, row: int) -> bool:
    told = apart.side.numbers.statistics[row]
    return bool(told[INFINITIES] > 0 or max(abs(told[LOW]), abs(told[HIGH])) >= _FILLING)
