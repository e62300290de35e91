"""Steps that one run takes in more parts than the other: a batch at once beside micro-batches whose gradients add up.

The parts may be those of several processes, of which one is recorded; the others' gradients come in by a reduction.

There the losses are of other rows, and so is all that is computed of a part. What the optimizer is given has to agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.apart import Apart, Both, Pair
from tensordbg.analysis.diff.attributes import attribute_differences
from tensordbg.analysis.diff.gates import gates_in_step
from tensordbg.analysis.diff.matching import distances
from tensordbg.analysis.diff.pieces import together
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind

_NEAR = 1e-5
"""Pieces whose statistics are so near to those of a whole are it."""


def uneven_steps(a: Side, b: Side) -> Ints:
    """Finds the steps in which gradients are taken of one loss more often in one run than in the other.

    So they are where the processes of one run each take a share of the batch.
    """
    of_a, of_b = _losses(a), _losses(b)
    uneven = {step for step in of_a.keys() & of_b.keys() if of_a[step] != of_b[step]}
    return np.array(sorted(uneven | (a.shared_steps ^ b.shared_steps)), dtype=np.int64)


def _losses(side: Side) -> dict[int, int]:
    """How often in each step gradients are taken of the loss of one place, the most of all places."""
    rows = np.flatnonzero(side.losses).tolist()
    numbers = side.numbers
    places = Counter((int(numbers.step[row]), int(numbers.site[row])) for row in rows)
    found: dict[int, int] = {}
    for (step, _), times in places.items():
        found[step] = max(found.get(step, 0), times)
    return found


def without_parts(a: Apart, b: Apart, pairs: list[Pair]) -> list[Pair]:
    """Leaves out what the runs compute of parts, where something else of the step is told to part as well.

    Of a step that several processes take together only what is made of all gradients can be told.
    """
    step, uneven = b.side.numbers.step, frozenset(uneven_steps(a.side, b.side).tolist())
    shared = a.side.shared_steps ^ b.side.shared_steps
    first = next((int(step[pair.b]) for pair in pairs), None)
    if first in uneven or shared:
        updates = [pair for pair in pairs if b.side.updates[pair.b]]
        updates = updates or list(_unlike_updates(a, b, first)) or list(_unlike_gathered(a, b))
        if updates:
            return _with_settings(a, b, updates, int(step[updates[0].b]) if first is None else first)
    pairs = _without_agreeing(a, b, pairs)
    whole = {int(step[pair.b]) for pair in pairs if not pair.in_parts}
    return [
        pair for pair in pairs
        if not (pair.in_parts and int(step[pair.b]) in whole) and int(step[pair.b]) not in shared
    ]  # fmt: skip


def _without_agreeing(a: Apart, b: Apart, pairs: list[Pair]) -> list[Pair]:
    """Leaves out what one run has in pieces that make up what the other has; where nothing else is left, gates may be.

    The product of a gate and a state that is zero is zero, and so is what is made of it: no fork tells of it.
    """
    left = [pair for pair in pairs if not (pair.in_parts and _agree_together(a, b, pair))]
    first = min((int(b.side.numbers.step[pair.b]) for pair in pairs if pair not in left), default=NONE)
    if first == NONE or any(b.side.numbers.step[pair.b] == first and not b.side.kept[pair.b] for pair in left):
        return left
    return [*list(gates_in_step(a, b, first))[:1], *left]


def _agree_together(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether the pieces of one run are together what the other has at once, or with the bias that it adds."""
    sizes = int(a.side.numbers.size[pair.a]), int(b.side.numbers.size[pair.b])
    pieces, piece, whole, row = (a, pair.a, b, pair.b) if sizes[0] < sizes[1] else (b, pair.b, a, pair.a)
    numbers = pieces.side.numbers
    alike = (numbers.site == numbers.site[piece]) & (numbers.step == numbers.step[piece])
    rows = np.flatnonzero(alike & (numbers.size == numbers.size[piece])).tolist()
    if len(rows) * int(numbers.size[piece]) != max(sizes):
        return False
    put_together = together(pieces.side, rows)
    made = [row, *(each for each in whole.followed(row) if whole.side.operation(each).kind is Kind.ADD)]
    told, size = whole.side.numbers.statistics, np.array([max(sizes)])
    return any(distances(put_together, told[[each]], size)[0] <= _NEAR for each in made)


def _with_settings(a: Apart, b: Apart, updates: list[Pair], step: int) -> list[Pair]:
    """Puts the first two operations of a step with unlike settings before updates whose gradients do not agree.

    The operations of a part are those of the whole, one for one, where both passes are made of the same kinds.
    """
    if not updates[0].in_parts:
        return updates
    rows_a, rows_b = _forward(a, step), _forward(b, step)
    common = frozenset(a.side.kinds[rows_a].tolist()) & frozenset(b.side.kinds[rows_b].tolist())
    rows_a, rows_b = (
        [row for row in rows if int(each.side.kinds[row]) in common] for each, rows in ((a, rows_a), (b, rows_b))
    )
    for row_a, row_b in zip(rows_a, rows_b, strict=False):
        if a.side.kinds[row_a] != b.side.kinds[row_b]:
            return updates
        pair = replace(Both(a, b).pair(row_a, row_b), in_parts=True)
        if a.side.operation(row_a).kind is not Kind.OTHER and attribute_differences(a, b, pair):
            return [pair, *updates]
    return updates


def _forward(apart: Apart, step: int) -> list[int]:
    """What the forward pass of a step makes, in order, as far as it differs for good."""
    side = apart.side
    chosen = (side.numbers.step == step) & side.edges.made & ~side.backward & ~side.kept
    return [row for row in np.flatnonzero(chosen).tolist() if row in apart.regions.lasting]


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


def _unlike_gathered(a: Apart, b: Apart) -> Iterator[Pair]:
    """Pairs parameters that processes keep shares of, as they are gathered, with what the other run makes of them.

    Of the step whose gathered parameters are the first that the other run has not, though it had those before.
    """
    for both in (Both(a, b), Both(b, a, turned=True)):
        mine, other = both.mine, both.other
        made = {
            (int(other.side.numbers.step[row]) + 1, int(other.label[given]), int(other.side.numbers.size[row])): row
            for row in _updates(other) for given in other.side.edges.parents[row] if other.label[given] >= 0
        }  # fmt: skip
        held: dict[tuple[int, int], int] = {}
        for row in _gathered(mine.side):
            step, size = int(mine.side.numbers.step[row]), int(mine.side.numbers.size[row])
            place = int(mine.side.numbers.site[row]), mine.side.slot(row)
            if mine.label[row] >= 0:
                held[place] = int(mine.label[row])
            elif place in held and (step, held[place], size) in made:
                yield replace(both.pair(row, made[step, held[place], size]), in_parts=True)


def _gathered(side: Side) -> list[int]:
    """The whole values that are made of what the processes keep a share of each, in order."""

    def gathers(site: Site) -> bool:
        collective = operation_of(site).collective
        return collective is not None and collective.gathers

    gathered = side.of_sites(gathers)
    return np.flatnonzero(gathered | side.edges.has_parent(gathered)).tolist()


def _updates(apart: Apart) -> list[int]:
    return [
        row for row in sorted(apart.regions.lasting) if apart.side.updates[row] and apart.side.numbers.size[row] > 1
    ]
