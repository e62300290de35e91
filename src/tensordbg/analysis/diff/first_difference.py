"""The first operation at which the two runs part: a fork of one, and what the other computes in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.matching import FAR, distances
from tensordbg.analysis.diff.regions import Regions
from tensordbg.analysis.diff.side import Side
from tensordbg.model import DIFFERENTIATED, NONE
from tensordbg.operations.kinds import Kind

_AHEAD = 40
"""So many values behind a fork are looked at for the counterpart of another."""
_EXTRA = 8
"""One run computes no more than so many operations between two that correspond."""
_PER_OPERATION = 0.5
"""Two values an operation farther from the fork are taken only where they are so much nearer to each other."""
_SURELY_THE_SAME = 0.02
"""... unless they are so near."""
_RECOGNISABLE = 0.5
"""Values of unlike operations that are farther apart are hardly the same value, computed otherwise."""
_LESS_PER_OPERATION = 0.05
"""... and an operation farther from the fork they have to be so much nearer."""


@dataclass(frozen=True)
class Apart:
    """One run beside the other: which of its values agree, and which do not for good."""

    side: Side
    label: Ints
    """A number of each value that agrees, which its partner has too; -1 of all others."""
    constant: Bools
    regions: Regions
    anchor: Ints
    """The same number for what is said to correspond, see `anchors.py`; 0 of all others."""

    def taken(self, row: int) -> frozenset[int]:
        """The labels of what a value was made from."""
        parents = self.side.edges.parents[row]
        return frozenset(int(self.label[parent]) for parent in parents if self.label[parent] >= 0)

    def taken_whole(self, row: int) -> frozenset[int]:
        """The labels of the values of more than one element that a value was made from."""
        parents, size = self.side.edges.parents[row], self.side.numbers.size
        return frozenset(int(self.label[each]) for each in parents if self.label[each] >= 0 and size[each] > 1)

    def unknown_parents(self, row: int) -> tuple[int, ...]:
        """The rest of what a value was made from: the other run has it not."""
        parents = self.side.edges.parents[row]
        return tuple(parent for parent in parents if self.label[parent] < 0 and not self.constant[parent])

    def is_loss(self, row: int) -> bool:
        """Tells whether gradients are taken of a value, which is a single number."""
        return bool(self.side.numbers.size[row] == 1) and DIFFERENTIATED in self.side.site(row).attributes

    @property
    def gradients_last(self) -> bool:
        """Whether gradients are among what differs for good."""
        return any(self.side.backward[row] for row in self.regions.lasting)

    def ahead(self, fork: int) -> list[int]:
        """The values of the region behind a fork, in its own pass of its step; it comes first, the nearest next."""
        same = self._pass(fork)
        return list(
            reached(fork, lambda row: (each for each in self.followed(row) if self._pass(each) == same), _AHEAD)
        )

    def followed(self, row: int) -> Iterator[int]:
        """The values made from one whose difference lasts as well."""
        return (child for child in self.side.edges.children[row] if child in self.regions.lasting)

    def settles(self, row: int) -> tuple[bool, str]:
        """Tells whether a value is an update, and which running statistic it is: others don't correspond to it."""
        return bool(self.side.updates[row]), self.side.statistic(row)

    def _pass(self, row: int) -> tuple[int, bool, tuple[bool, str]]:
        return int(self.side.numbers.step[row]), bool(self.side.backward[row]), self.settles(row)


@dataclass(frozen=True)
class Pair:
    """Two values that should be equal and are not, by their rows."""

    a: int
    b: int
    distance: float
    extra_a: tuple[int, ...] = ()
    """What only A computes on the way from the same values to this one."""
    extra_b: tuple[int, ...] = ()
    loosely: bool = False
    """The two are only the first of one size: nothing else says that they correspond."""


def find_pairs(a: Apart, b: Apart) -> list[Pair]:
    """Finds all places where the runs part, in the order of B; none is made from another.

    Each is a pair of values that differ although they were made from the same.
    """
    return in_order(b, _pairs(a, b))


def in_order(b: Apart, pairs: Iterable[Pair]) -> list[Pair]:
    """Sorts places where the runs part.

    Running statistics come at the end of their step, as nothing else in it is made of them.
    """
    step, backward, statistics = b.side.numbers.step, b.side.backward, b.side.statistics

    def order(pair: Pair) -> tuple[int, bool, bool, bool, int, int]:
        row = pair.b
        return int(step[row]), bool(statistics[row]), bool(backward[row]), pair.loosely, row, pair.a

    return sorted(pairs, key=order)


def _pairs(a: Apart, b: Apart) -> Iterator[Pair]:
    yield from _losses(a, b)
    forks = [(fork, a.taken(fork)) for fork in a.regions.forks]
    for mine in b.regions.forks:
        labels = b.taken(mine)
        met = [
            (len(labels & theirs), a.side.numbers.size[fork] == b.side.numbers.size[mine], -position, fork)
            for position, (fork, theirs) in enumerate(forks)
            if labels & theirs and a.settles(fork) == b.settles(mine)
        ]
        if met:
            pair = counterpart(a, b, max(met)[-1], mine)
            if pair is not None:
                yield pair


def _losses(a: Apart, b: Apart) -> Iterator[Pair]:
    """Pairs losses that are reduced otherwise, though all that is trained may be the same.

    Both are made of the same many values; or, where the gradients differ for good as well, the one is made of what
    the other is. A single number that each run scales, as for half precision, is no difference where the gradients are
    scaled back.
    """
    losses_a, losses_b = _losses_by_label(a), _losses_by_label(b)
    unlike_a, unlike_b = losses_a.pop(NONE, []), losses_b.pop(NONE, [])
    for mine in unlike_b:
        reduced = b.taken_whole(mine)
        yield from (
            Pair(other, mine, distance_of(a, b, other, mine)) for other in unlike_a if reduced & a.taken_whole(other)
        )
    if not (a.gradients_last and b.gradients_last):
        return
    for loss in unlike_a:
        for label in a.taken(loss) & losses_b.keys():
            yield from (Pair(loss, row, distance_of(a, b, loss, row), extra_a=(loss,)) for row in losses_b[label])
    for loss in unlike_b:
        for label in b.taken(loss) & losses_a.keys():
            yield from (Pair(row, loss, distance_of(a, b, row, loss), extra_b=(loss,)) for row in losses_a[label])


def _losses_by_label(apart: Apart) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in np.flatnonzero(apart.side.numbers.size == 1).tolist():
        if apart.is_loss(row):
            found.setdefault(int(apart.label[row]), []).append(row)
    return found


def counterpart(a: Apart, b: Apart, fork_a: int, fork_b: int) -> Pair | None:
    """Finds what stands in the one run for what forks in the other."""
    ahead_a, ahead_b = a.ahead(fork_a), b.ahead(fork_b)
    same_kind = [
        *(Pair(row, fork_b, 0.0, extra_a=tuple(ahead_a[:k])) for k, row in enumerate(ahead_a[: _EXTRA + 1])
          if alike(a, b, row, fork_b)),
        *(Pair(fork_a, row, 0.0, extra_b=tuple(ahead_b[:k])) for k, row in enumerate(ahead_b[: _EXTRA + 1])
          if alike(a, b, fork_a, row)),
    ]  # fmt: skip
    if same_kind:
        measured = [replace(pair, distance=distance_of(a, b, pair.a, pair.b)) for pair in same_kind]
        if b.side.updates[fork_b]:
            return min(measured, key=lambda pair: pair.distance)
        return min(measured, key=lambda pair: len(pair.extra_a) + len(pair.extra_b))
    if b.side.updates[fork_b]:
        return _update(a, b, fork_a, fork_b)
    nearest = _nearest(a, b, ahead_a, ahead_b)
    if nearest is not None:
        return nearest
    if a.is_loss(fork_a) and b.is_loss(fork_b):
        return Pair(fork_a, fork_b, distance_of(a, b, fork_a, fork_b))
    if _of_one_kind(a, b, fork_a, fork_b):  # which give unlike shapes
        return Pair(fork_a, fork_b, FAR)
    return _only_one(a, b, ahead_a, ahead_b) or _consequential(a, b, ahead_a, ahead_b)


def alike(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Tells whether operations of one kind make two values of one size."""
    same_size = a.side.numbers.size[row_a] == b.side.numbers.size[row_b]
    return bool(same_size) and _of_one_kind(a, b, row_a, row_b)


def _of_one_kind(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    kinds = a.side.kinds[row_a], b.side.kinds[row_b]
    told = a.side.operation(row_a).kind not in (Kind.OTHER, Kind.GRADIENT)
    same_type = a.side.site(row_a).op_type == b.side.site(row_b).op_type
    return bool(kinds[0] == kinds[1] and (told or same_type))


def _update(a: Apart, b: Apart, fork_a: int, fork_b: int) -> Pair | None:
    """Updates of two frameworks show in what the next step reads; those of the last one can't be compared."""
    if b.side.numbers.step[fork_b] >= min(a.side.numbers.step.max(), b.side.numbers.step.max()):
        return None
    return Pair(fork_a, fork_b, distance_of(a, b, fork_a, fork_b))


def distance_of(a: Apart, b: Apart, row_a: int, row_b: int) -> float:
    """Tells how far two values are apart."""
    pair = a.side.numbers.statistics[[row_a]], b.side.numbers.statistics[[row_b]]
    if a.side.numbers.size[row_a] != b.side.numbers.size[row_b]:
        return FAR
    return float(distances(*pair, a.side.numbers.size[[row_a]])[0])


def _nearest(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """The two of two regions that are nearest to each other, one of them a fork; of several, near to the other.

    What both runs go on from alike comes first. None where no two are near enough to be the same value, computed
    otherwise.
    """
    crossed = [(row, ahead_b[0], depth) for depth, row in enumerate(ahead_a)]
    crossed += [(ahead_a[0], row, depth) for depth, row in enumerate(ahead_b) if depth]
    found = []
    for mine, theirs, depth in crossed:
        pair = Pair(mine, theirs, distance_of(a, b, mine, theirs))
        near = pair.distance + _LESS_PER_OPERATION * depth < _RECOGNISABLE
        if (near or not depth) and pair.distance < FAR and _go_on_alike(a, b, mine, theirs):
            return pair
        score = pair.distance if pair.distance < _SURELY_THE_SAME else pair.distance + _PER_OPERATION * depth
        found.append((score, depth, pair))
    nearest = min(found, key=lambda each: each[:2])[2]
    return nearest if nearest.distance < _RECOGNISABLE else None


def _go_on_alike(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Whether the runs make of two values others of one kind and size."""
    return any(alike(a, b, mine, theirs) for mine in a.followed(row_a) for theirs in b.followed(row_b))


def _consequential(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """The first values of one size in two regions from which gradients are taken: there the difference shows."""
    if not (_trains(a, ahead_a) and _trains(b, ahead_b)):
        return None
    sizes_a, sizes_b = (side.numbers.size for side in (a.side, b.side))
    found = [
        (depth_a + depth_b, row_a, row_b)
        for depth_a, row_a in enumerate(ahead_a) for depth_b, row_b in enumerate(ahead_b)
        if sizes_a[row_a] == sizes_b[row_b]
    ]  # fmt: skip
    _, row_a, row_b = min(found, default=(0, ahead_a[0], ahead_b[0]))
    return Pair(row_a, row_b, distance_of(a, b, row_a, row_b), loosely=True)


def _trains(apart: Apart, ahead: list[int]) -> bool:
    """Whether a backward pass is made of what is ahead."""
    backward, children = apart.side.backward, apart.side.edges.children
    return any(backward[row] or any(backward[child] for child in children[row]) for row in ahead)


def _only_one(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """An operation that keeps the size of what it takes, of a kind that the other run has nowhere behind the same."""
    if _is_extra(b, ahead_b, a.side.kinds[ahead_a]):
        return Pair(ahead_a[0], ahead_b[0], FAR, extra_b=(ahead_b[0],))
    if _is_extra(a, ahead_a, b.side.kinds[ahead_b]):
        return Pair(ahead_a[0], ahead_b[0], FAR, extra_a=(ahead_a[0],))
    return None


def _is_extra(mine: Apart, ahead: list[int], others: Ints) -> bool:
    fork, size = ahead[0], mine.side.numbers.size
    keeps = any(size[parent] == size[fork] for parent in mine.side.edges.parents[fork] if mine.label[parent] >= 0)
    return keeps and len(ahead) > 1 and mine.side.kinds[fork] not in others
