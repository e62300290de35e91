"""Operations of a forward pass that part and are lost again in what a coarse tolerance lets pass.

In half precision values count as equal that are apart by percents. So half of a small residual, added to what is much
larger, comes back to equal values; and the runs would be told to part in the backward pass, at what was made of it.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair, alike

_COARSE = 1e-3
"""A finer tolerance lets no part of a difference pass."""
_CLEARLY = 3.0
"""So many tolerances two values are apart that are no equal ones by any rounding."""


def with_damped(a: Apart, b: Apart, pairs: list[Pair], tolerance: float) -> list[Pair]:
    """Puts what parts clearly in the forward pass of the step before the gradients that part for it."""
    if tolerance < _COARSE or not pairs or not b.side.backward[pairs[0].b]:
        return pairs
    step = int(b.side.numbers.step[pairs[0].b])
    made: dict[frozenset[int], list[int]] = {}
    for row in _candidates(a, step):
        made.setdefault(a.taken_whole(row), []).append(row)
    for row in _candidates(b, step, unknown=True):
        for other in made.get(b.taken_whole(row), ()):
            pair = Both(a, b).pair(other, row)
            if alike(a, b, other, row) and pair.distance > _CLEARLY * tolerance and not _is_made_too(a, b, other):
                return [pair, *pairs]
    return pairs


def _is_made_too(a: Apart, b: Apart, row: int) -> bool:
    """Whether B has a value of A, and makes it as A does."""
    equal = np.flatnonzero((b.label == a.label[row]) & (a.label[row] >= 0)).tolist()
    return any(alike(a, b, row, each) and a.taken_whole(row) == b.taken_whole(each) for each in equal)


def _candidates(apart: Apart, step: int, unknown: bool = False) -> list[int]:
    """Values of the forward pass of a step that are made of what the other run has; it has not these if unknown."""
    side = apart.side
    rows = ~apart.constant & ~side.backward & ~side.kept & (side.numbers.step == step) & (side.numbers.size > 1)
    known = (apart.label >= 0) | (side.numbers.size == 1) | apart.constant
    rows &= ~side.edges.has_parent(~known) & side.edges.has_parent(apart.label >= 0)
    return np.flatnonzero(rows & (apart.label < 0) if unknown else rows).tolist()
