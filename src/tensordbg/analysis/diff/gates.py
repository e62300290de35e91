"""A gate that one run multiplies by before a matrix product and the other behind it, as two kinds of GRU do."""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.wording import Explained
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

PLACE = "place of the gate"
_BEFORE, _BEHIND = "before the product", "behind the product"


def explain_gate(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of a gate on either side of a matrix product; `None` of all else."""
    near_a, near_b = _near(a, pair.a, pair.extra_a), _near(b, pair.b, pair.extra_b)
    behind_in_b = _are_exchanged(_before(a, near_a), _behind(b, near_b))
    behind_in_a = _are_exchanged(_before(b, near_b), _behind(a, near_a))
    if behind_in_a == behind_in_b:
        return None
    places = (_BEHIND, _BEFORE) if behind_in_a else (_BEFORE, _BEHIND)
    text = f"the runs multiply by the same gate, A {places[0]} with the recurrent weights and B {places[1]}"
    suggestion = f"multiply {places[0]} in B: a GRU of Keras has `reset_after` for it, one of PyTorch does so {_BEHIND}"
    difference = (AttributeDifference(PLACE, *places),)
    return Explained("value", pair.a, pair.b, pair.distance, True, difference, text, suggestion)


def _near(apart: Apart, row: int, extra: tuple[int, ...]) -> list[int]:
    return list(dict.fromkeys([row, *extra, *apart.unknown_parents(row), *apart.followed(row)]))


def _before(apart: Apart, near: list[int]) -> Iterator[frozenset[int]]:
    """What is multiplied element by element, where a matrix product is made of that."""
    for row in near:
        multiplies = apart.side.operation(row).kind is Kind.MULTIPLY and len(apart.taken_whole(row)) > 1
        if multiplies and any(apart.side.operation(each).has(Trait.CONTRACTS) for each in apart.followed(row)):
            yield apart.taken_whole(row)


def _behind(apart: Apart, near: list[int]) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """What goes into a matrix product, and what its result is multiplied by element by element."""
    for row in near:
        if apart.side.operation(row).has(Trait.CONTRACTS):
            products = (each for each in apart.followed(row) if apart.side.operation(each).kind is Kind.MULTIPLY)
            yield from ((apart.taken_whole(row), apart.taken_whole(each)) for each in products)


def _are_exchanged(before: Iterator[frozenset[int]], behind: Iterator[tuple[frozenset[int], frozenset[int]]]) -> bool:
    """Whether the gate and the state that are multiplied in one run come together behind the product in the other."""
    found = list(behind)
    return any(state & factors and gate & (factors - state) for factors in before for state, gate in found)
