"""Parameters as the last step of two runs leaves them: no further step reads them, so nothing else tells of them.

Of one framework alone: others keep them as what they take off, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair, distance_of
from tensordbg.analysis.diff.rule_forms import is_parameter


def last_values(a: Apart, b: Apart, known: Sequence[Pair]) -> list[Pair]:
    """Pairs what two rules make of each parameter last; nothing where updates of that step are known to differ."""
    step = int(b.side.numbers.step.max(initial=0))
    told = any(b.side.updates[pair.b] and b.side.numbers.step[pair.b] == step for pair in known)
    if told or a.side.frameworks != b.side.frameworks or step != int(a.side.numbers.step.max(initial=0)):
        return []
    theirs = dict(_made_last(a, step))
    return [
        Pair(theirs[key], row, distance_of(a, b, theirs[key], row))
        for key, row in _made_last(b, step)
        if key in theirs and a.side.numbers.size[theirs[key]] == b.side.numbers.size[row]
    ]


def _made_last(apart: Apart, step: int) -> Iterator[tuple[int, int]]:
    """The values of a step that differ, go into nothing, and are made of a parameter, with the label of that."""
    side = apart.side
    for row in np.flatnonzero(side.updates & (side.numbers.step == step) & (apart.label < 0)).tolist():
        if row in apart.regions.lasting and not side.edges.children[row]:
            given = (each for each in side.edges.parents[row] if apart.label[each] >= 0 and is_parameter(apart, each))
            yield from ((int(apart.label[each]), row) for each in given)
