"""One run beside the other: which of its values agree, and two values that should and do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.matching import FAR, distances
from tensordbg.analysis.diff.regions import Regions
from tensordbg.analysis.diff.side import Side
from tensordbg.operations.kinds import Kind

_AHEAD = 40
"""So many values behind a fork are looked at for the counterpart of another."""


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
        return bool(self.side.losses[row])

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

    def agreed_before(self, row: int) -> bool:
        """Tells whether an operation of a training has made equal values in a step before: so it is the same one."""
        numbers = self.side.numbers
        earlier = (numbers.site == numbers.site[row]) & (numbers.step < numbers.step[row]) & (self.label >= 0)
        return bool(earlier.any() and self.side.updates.any())

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
    beside: bool = False
    """Another output of the same operation is told already, as the mean beside the result of a normalization."""
    in_parts: bool = False
    """One run computes at once what the other does in equal parts, so that these two need not be equal."""
    of_losses: bool = False
    """Each is a loss, or an operation that computes one, and not the same value."""
    reordered: bool = False
    """Both have the same elements, and B has them in another order."""


def alike(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Tells whether operations of one kind make two values of one size."""
    return are_of_one_size(a, b, row_a, row_b) and are_of_one_kind(a, b, row_a, row_b)


def are_of_one_size(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Tells whether two values have as many elements."""
    return bool(a.side.numbers.size[row_a] == b.side.numbers.size[row_b])


def are_of_one_kind(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Tells whether two values are computed by operations of one kind."""
    kinds = a.side.kinds[row_a], b.side.kinds[row_b]
    told = a.side.operation(row_a).kind not in (Kind.OTHER, Kind.GRADIENT)
    same_type = a.side.site(row_a).op_type == b.side.site(row_b).op_type
    return bool(kinds[0] == kinds[1] and (told or same_type))


def distance_of(a: Apart, b: Apart, row_a: int, row_b: int) -> float:
    """Tells how far two values are apart."""
    pair = a.side.numbers.statistics[[row_a]], b.side.numbers.statistics[[row_b]]
    if not are_of_one_size(a, b, row_a, row_b):
        return FAR
    return float(distances(*pair, a.side.numbers.size[[row_a]])[0])


@dataclass(frozen=True)
class Both:
    """Two runs seen from either side, so that what holds for both is said once: the one that does more is `mine`."""

    mine: Apart
    other: Apart
    turned: bool = False
    """Whether `mine` is B."""

    def pair(self, mine: int, other: int, extra: tuple[int, ...] = ()) -> Pair:
        """Pairs a value of the one with a value of the other, as A and B; only the one computes `extra` besides."""
        if self.turned:
            distance = distance_of(self.other, self.mine, other, mine)
            return Pair(other, mine, distance, extra_b=extra)
        return Pair(mine, other, distance_of(self.mine, self.other, mine, other), extra_a=extra)
