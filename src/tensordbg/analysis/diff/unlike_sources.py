"""Runs that have nothing to begin with in common: their parameters and their inputs are all unlike.

Then no operation is given equal values, and none forks. What comes first and goes into a product is the difference.
"""

from __future__ import annotations

import itertools

from tensordbg.analysis.diff.apart import Apart, Pair, distance_of
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.pieces import found_in_pieces
from tensordbg.operations.traits import Trait

_FAR_AHEAD = 2000
"""So many values are looked at to find what becomes of one."""


def unlike_sources(a: Apart, b: Apart) -> list[Pair]:
    """Pairs what the two runs begin with, by size and order; nothing where one begins with nothing of its own.

    Where nothing agrees and one has in pieces what the other has whole, they do begin with the same.
    """
    agrees = bool(((b.label >= 0) & ~b.constant & (b.side.numbers.size > 1)).any())
    if not agrees and any(True for mine, whole in ((a, b), (b, a)) for _ in found_in_pieces(mine, whole)):
        return []
    left, pairs = _sources(a), []
    for row in _sources(b):
        size = b.side.numbers.size[row]
        partner = next((each for each in left if a.side.numbers.size[each] == size), None)
        if partner is not None:
            left.remove(partner)
            pairs.append(Pair(partner, row, distance_of(a, b, partner, row)))
    return pairs


def _sources(apart: Apart) -> list[int]:
    """Values that are made of no other, differ for good and go into a product, in the order of the run.

    A variable's first value, which is drawn and then written over, goes into none.
    """
    edges, sizes = apart.side.edges, apart.side.numbers.size
    return [row for row in sorted(apart.regions.lasting)
            if not edges.parents[row] and sizes[row] > 1 and _is_multiplied(apart, row)]  # fmt: skip


def _is_multiplied(apart: Apart, start: int) -> bool:
    made_of_it = itertools.islice(reached(start, apart.followed, _FAR_AHEAD), 1, None)
    return any(apart.side.operation(row).has(Trait.CONTRACTS) for row in made_of_it)
