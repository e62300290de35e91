"""A gate that one run multiplies by before a matrix product and the other behind it, as two kinds of GRU do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair
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


def gates_in_step(a: Apart, b: Apart, step: int) -> Iterator[Pair]:
    """Pairs the products with recurrent weights of a step before and behind which two runs multiply by one gate."""
    rows_a, rows_b = _of_step(a, step), _of_step(b, step)
    for both, mine, others in ((Both(a, b), rows_a, rows_b), (Both(b, a, turned=True), rows_b, rows_a)):
        products = [row for row in mine if _are_exchanged(_before(both.other, others), _behind(both.mine, [row]))]
        before = (row for row in others if _are_exchanged(_before(both.other, [row]), _behind(both.mine, products)))
        made = (each for row in before for each in _made(both.other, row) if _contracts(both.other, each))
        yield from (both.pair(products[0], each) for each in made)


def _of_step(apart: Apart, step: int) -> list[int]:
    side = apart.side
    return np.flatnonzero((side.numbers.step == step) & ~side.backward & ~side.kept & side.edges.made).tolist()


def _made(apart: Apart, row: int) -> Iterator[int]:
    """What a forward pass makes of a value, whether it agrees or not."""
    return (each for each in apart.side.edges.children[row] if not apart.side.backward[each])


def _contracts(apart: Apart, row: int) -> bool:
    return apart.side.operation(row).has(Trait.CONTRACTS)


def _near(apart: Apart, row: int, extra: tuple[int, ...]) -> list[int]:
    """What lies around a value, also zeros: a state begins with them, and so does its product with a gate."""
    return list(dict.fromkeys([row, *extra, *apart.side.edges.parents[row], *apart.followed(row)]))


def _before(apart: Apart, near: list[int]) -> Iterator[frozenset[int]]:
    """What is multiplied element by element, where a matrix product is made of that."""
    for row in near:
        multiplies = apart.side.operation(row).kind is Kind.MULTIPLY and len(apart.taken_whole(row)) > 1
        if multiplies and any(_contracts(apart, each) for each in _made(apart, row)):
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
