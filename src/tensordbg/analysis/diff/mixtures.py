"""Mixtures of an old and a new value by a gate, as in a GRU: which of the two a gate is for, and which gate it is.

A gate is a value between 0 and 1. What is multiplied by 1 less the gate may be so in one product or in another form:
`new + gate * (old - new)` is `gate * old + (1 - gate) * new`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.numbers import HIGH, LOW
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.wording import SUGGESTIONS, Explained, attributes_text
from tensordbg.operations.kinds import Kind

FACTOR = "factor"
_ROUND = frozenset({Kind.MULTIPLY, Kind.ADD, Kind.SUBTRACT, Kind.SLICE, Kind.UNPACK})
_WALKED = 24
"""So many values around one are looked at."""
_NEAR = 1e-5


class _Factor(NamedTuple):
    """What a value is multiplied by: a gate, by its label, or 1 less it."""

    gate: int
    less: bool

    def __str__(self) -> str:
        return "1 - gate" if self.less else "gate"


def explain_mixture(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of a value that the runs multiply by unlike gates, or one by a gate and the other by 1 less it."""
    if not all(_is_round(each, row) for each, row in ((a, pair.a), (b, pair.b))):
        return None
    found = dict(_factors(a, pair.a)), dict(_factors(b, pair.b))
    for value in sorted(found[0].keys() & found[1].keys()):
        factors = found[0][value], found[1][value]
        if factors[0].gate == factors[1].gate and factors[0].less != factors[1].less:
            difference = (AttributeDifference(FACTOR, *map(str, factors)),)
            text = f"one value is multiplied by a gate, and in one run by 1 less it: {attributes_text(difference)}"
            suggestion = "exchange the gate and 1 less it in B: a GRU keeps the share of the gate of its old state"
            return Explained("value", pair.a, pair.b, pair.distance, True, difference, text, suggestion)
        if factors[0].gate != factors[1].gate:
            return _of_order(pair)
    gates = _only_gate(a, pair.a), _only_gate(b, pair.b)
    return _of_order(pair) if None not in gates and gates[0] != gates[1] else None


def _of_order(pair: Pair) -> Explained:
    text = "the runs multiply one value by unlike gates that both have: gates are in another order"
    return Explained("value", pair.a, pair.b, pair.distance, True, (), text, SUGGESTIONS["order"])


def _only_gate(apart: Apart, row: int) -> _Factor | None:
    """The gate that a product is of, whatever it is multiplied with: one run may have that as a part of a value."""
    given = [each for each in apart.side.edges.parents[row] if apart.side.numbers.size[each] > 1]
    found = [gate for gate in (_gate(apart, each) for each in given) if gate is not None]
    single = len(given) == 2 and len(found) == 1 and apart.side.operation(row).kind is Kind.MULTIPLY
    return found[0] if single else None


def _is_round(apart: Apart, row: int) -> bool:
    return apart.side.operation(row).kind in (Kind.MULTIPLY, Kind.ADD, Kind.SUBTRACT) and not apart.side.backward[row]


def _factors(apart: Apart, start: int) -> Iterator[tuple[int, _Factor]]:
    """What values that both runs have are multiplied by around a value, by the labels of the values."""
    side = apart.side
    step = side.numbers.step

    def near(row: int) -> Iterator[int]:
        for each in (*side.edges.parents[row], *side.edges.children[row]):
            if side.operation(each).kind in _ROUND and step[each] == step[start] and not side.backward[each]:
                yield each

    for row in reached(start, near, _WALKED):
        if side.operation(row).kind is Kind.MULTIPLY:
            yield from _of_product(apart, row)


def _of_product(apart: Apart, row: int) -> Iterator[tuple[int, _Factor]]:
    given = [each for each in apart.side.edges.parents[row] if apart.side.numbers.size[each] > 1]
    gates = [(each, _gate(apart, each)) for each in given]
    found = [(each, gate) for each, gate in gates if gate is not None]
    if len(given) != 2 or len(found) != 1:
        return
    (at, factor), value = found[0], next((each for each in given if each != found[0][0]), found[0][0])
    if apart.label[value] >= 0:
        yield int(apart.label[value]), factor
    yield from _of_difference(apart, row, value, factor) if at != value else ()


def _of_difference(apart: Apart, product: int, difference: int, factor: _Factor) -> Iterator[tuple[int, _Factor]]:
    """Of a gate times the difference of two values, to which one of them is added, what each is multiplied by."""
    side = apart.side
    if side.operation(difference).kind is not Kind.SUBTRACT:
        return
    for total in side.edges.children[product]:
        if side.operation(total).kind is Kind.ADD:
            for value in set(side.edges.parents[difference]) & set(side.edges.parents[total]):
                if apart.label[value] >= 0:
                    yield int(apart.label[value]), _Factor(factor.gate, not factor.less)


def _gate(apart: Apart, row: int) -> _Factor | None:
    """Reads a value as a gate that both runs have, or as 1 less one."""
    if not _in_unit(apart, row):
        return None
    told = apart.side.numbers.statistics
    if apart.side.operation(row).kind is Kind.SUBTRACT:
        for each in apart.side.edges.parents[row]:
            ends = abs(told[row, LOW] + told[each, HIGH] - 1) + abs(told[row, HIGH] + told[each, LOW] - 1)
            if apart.side.numbers.size[each] > 1 and apart.label[each] >= 0 and ends < _NEAR:
                return _Factor(int(apart.label[each]), True)
    return _Factor(int(apart.label[row]), False) if apart.label[row] >= 0 else None


def _in_unit(apart: Apart, row: int) -> bool:
    low, high = apart.side.numbers.statistics[row, [LOW, HIGH]].tolist()
    return bool(0 <= low < high <= 1)
