"""Steps that one run takes in more parts than the other: a batch at once beside micro-batches whose gradients add up.

There the losses are of other rows, and so is all that is computed of a part. What the optimizer is given has to agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.apart import Apart, Both, Pair
from tensordbg.analysis.diff.side import Side
from tensordbg.model import NONE


def uneven_steps(a: Side, b: Side) -> Ints:
    """Finds the steps in which gradients are taken of one loss more often in one run than in the other."""
    of_a, of_b = _losses(a), _losses(b)
    return np.array([step for step in of_a.keys() & of_b.keys() if of_a[step] != of_b[step]], dtype=np.int64)


def _losses(side: Side) -> dict[int, int]:
    """How often in each step gradients are taken of the loss of one place, the most of all places."""
    rows = np.flatnonzero((side.numbers.size == 1) & side.may_be_differentiated).tolist()
    numbers = side.numbers
    places = Counter((int(numbers.step[row]), int(numbers.site[row])) for row in rows if side.is_differentiated(row))
    found: dict[int, int] = {}
    for (step, _), times in places.items():
        found[step] = max(found.get(step, 0), times)
    return found


def without_parts(a: Apart, b: Apart, pairs: list[Pair]) -> list[Pair]:
    """Leaves out what the runs compute of parts, where something else of the step is told to part as well."""
    step, uneven = b.side.numbers.step, frozenset(uneven_steps(a.side, b.side).tolist())
    first = next((int(step[pair.b]) for pair in pairs), None)
    if first in uneven:
        updates = [pair for pair in pairs if b.side.updates[pair.b]] or list(_unlike_updates(a, b, first))
        if updates:
            return updates
    whole = {int(step[pair.b]) for pair in pairs if not pair.in_parts}
    return [pair for pair in pairs if not (pair.in_parts and int(step[pair.b]) in whole)]


def _unlike_updates(a: Apart, b: Apart, first: int | None) -> Iterator[Pair]:
    """Pairs updates of equal parameters that differ, of the first step in which there are any."""
    made = {
        (a.taken_whole(row), int(a.side.numbers.size[row])): row for row in reversed(_updates(a)) if a.taken_whole(row)
    }
    found = ((made.get((b.taken_whole(row), int(b.side.numbers.size[row]))), row) for row in _updates(b))
    pairs = [replace(Both(a, b).pair(other, row), in_parts=True) for other, row in found if other is not None]
    step = b.side.numbers.step
    parting = min((int(step[pair.b]) for pair in pairs), default=NONE)
    return (pair for pair in pairs if step[pair.b] == parting and (first is None or parting >= first))


def _updates(apart: Apart) -> list[int]:
    return [
        row for row in sorted(apart.regions.lasting) if apart.side.updates[row] and apart.side.numbers.size[row] > 1
    ]
