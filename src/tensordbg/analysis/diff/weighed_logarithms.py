"""Logarithms that two runs weigh by unlike values of those that both have: a divergence with exchanged arguments.

A Kullback-Leibler divergence and a cross-entropy weigh logarithms by the one of two distributions that is the target.
However a framework writes them out, what the logarithms are multiplied by tells which.
"""

from __future__ import annotations

from collections.abc import Iterable

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.wording import Explained, made_by, of_rows
from tensordbg.operations.kinds import Kind

_SOON = 12
"""So many values from one on are looked at."""
_WALKED = 16
"""So many values are walked back through from each."""
_NEAR = 6
"""A logarithm is weighed behind so many values at most."""
_BESIDE = 40
"""Forks of so many values before and behind are looked at."""
_WEIGHING = frozenset({Kind.MULTIPLY, Kind.MULTIPLY_BY_LOG, Kind.MULTIPLY_NO_NAN})
_CLIPPING, _CLIPPED = frozenset({Kind.CLIP, Kind.MAXIMUM, Kind.MINIMUM}), 4
"""Probabilities may be kept from zero before, by so many operations."""
_LOGARITHMS = frozenset({Kind.LOG, Kind.LOG_SOFTMAX, Kind.MULTIPLY_BY_LOG})


def explain_weighed(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of logarithms that each run weighs by another value of the two that both go on from."""
    if a.side.backward[pair.a] or b.side.backward[pair.b]:
        return None
    rows_a, rows_b = _soon(a, pair.a, pair.extra_a), _soon(b, pair.b, pair.extra_b)
    weights_a, weights_b = _weights(a, rows_a), _weights(b, rows_b)
    if len(weights_a) != 1 or len(weights_b) != 1 or weights_a.keys() == weights_b.keys():
        return None
    if not (weights_a.keys() <= _taken(b, rows_b) and weights_b.keys() <= _taken(a, rows_a)):
        return None
    by = made_by(a, *weights_a.values()), made_by(b, *weights_b.values())
    text = (
        f"A weighs logarithms by what {by[0]} gives and B by what {by[1]} gives, though both runs have what either is "
        "made of: the two arguments of a divergence or a cross-entropy are exchanged"
    )
    return of_rows(pair, "value", text, "exchange the two arguments in B: some losses take the target first")


def _soon(apart: Apart, row: int, extra: tuple[int, ...]) -> list[int]:
    """The values from the first on that a run computes for itself, and from forks that meet them, in its step."""
    soon = [each for begin in (*extra, row) for each in apart.ahead(begin)[:_SOON]]
    met = frozenset(soon)
    for fork in apart.regions.forks:
        if abs(fork - row) <= _BESIDE and fork not in soon:
            ahead = apart.ahead(fork)[:_SOON]
            soon += ahead if met & frozenset(ahead) else []
    return list(dict.fromkeys(soon))


def _weights(apart: Apart, rows: list[int]) -> dict[int, int]:
    """The values by which logarithms, or what is made of them, are multiplied, by the labels of what they are made of.

    A softmax goes by its logits, as one run may have it and the other no more than its logarithm.
    """
    side, size = apart.side, apart.side.numbers.size
    if not any(side.operation(row).kind in _LOGARITHMS for row in rows):
        return {}
    found: dict[int, int] = {}
    for row in rows:
        if side.operation(row).kind in _WEIGHING:
            given = [each for each in side.edges.parents[row] if size[each] == size[row] > 1]
            if side.operation(row).kind in _LOGARITHMS or any(_is_of_logarithm(apart, each) for each in given):
                found |= {label: each for each in given for label in _origins(apart, each)}
    return found


def _is_of_logarithm(apart: Apart, row: int) -> bool:
    """Whether a value is a logarithm, or made of one by few operations."""
    near = reached(row, apart.side.edges.parents.__getitem__, _NEAR)
    return any(apart.side.operation(each).kind in _LOGARITHMS for each in near)


def _origins(apart: Apart, row: int) -> Iterable[int]:
    side, size = apart.side, apart.side.numbers.size

    def unclipped(each: int) -> Iterable[int]:
        clips = side.operation(each).kind in _CLIPPING
        return (parent for parent in side.edges.parents[each] if clips and size[parent] == size[each])

    for each in reached(row, unclipped, _CLIPPED):
        if side.operation(each).kind is Kind.SOFTMAX:
            return apart.taken_whole(each)
    return [int(apart.label[row])] if apart.label[row] >= 0 and side.operation(row).kind not in _LOGARITHMS else []


def _taken(apart: Apart, rows: list[int]) -> frozenset[int]:
    """The labels of what goes into values, and of what that is made of: it may be a logarithm that both runs have."""
    parents = apart.side.edges.parents
    before = {each for row in rows for each in reached(row, parents.__getitem__, _WALKED)}
    return frozenset[int]().union(*(apart.taken_whole(row) for row in before))
