"""Normalizations, be they one operation or written out: a variance, an epsilon, a root, a division.

One framework has an operation with an epsilon, another computes a mean, squares, adds a number and takes a root. So
two values that differ are held against each other as parts of the normalization that each belongs to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from tensordbg.analysis.diff.apart import Apart, Pair, distance_of
from tensordbg.analysis.diff.attributes import as_written
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.kernel_normalizations import in_kernel, is_rooted_in_kernel
from tensordbg.analysis.diff.normalization import INSIDE, OUTSIDE, PARTS, PLACE, REDUCING, ROOTS, Normalization
from tensordbg.analysis.diff.numbers import LOW
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.side import Side
from tensordbg.operations.kinds import Kind
from tensordbg.operations.setting_names import common_name
from tensordbg.operations.traits import Trait

_SQUARING = frozenset({Kind.SQUARE, Kind.SQUARED_DIFFERENCE, Kind.POWER, Kind.MULTIPLY, Kind.ABSOLUTE})
_CENTRING = frozenset({Kind.SUBTRACT, Kind.MEAN})
_SCALING = frozenset({Kind.MULTIPLY, Kind.DIVIDE, Kind.RECIPROCAL, Kind.NEGATE, Kind.ADD, Kind.SUBTRACT})
_WRITTEN = frozenset({Kind.CONSTANT, Kind.INPUT})
"""What a number is that a program writes down: in eager code it comes from outside."""
_WRITTEN_OUT = 16
"""So many operations around a value are looked at for the root of its normalization."""


def unlike_normalizations(
    a: Apart, b: Apart, pair: Pair
) -> tuple[tuple[int, int], tuple[AttributeDifference, ...]] | None:
    """Tells which two values stand for the normalizations that a pair is part of, and what differs in these.

    `None` where one of the two is no part of a normalization, or nothing of the two differs.
    """
    of_a = _of_pair(a, pair.a, pair.extra_a) or _by_kept(a, pair.a)
    of_b = _of_pair(b, pair.b, pair.extra_b) or _by_kept(b, pair.b)
    if of_a is None or of_b is None:
        return None
    told = tuple(_differences(of_a, of_b))
    return (_shown(a, b, of_a, of_b), told) if told else None


def _of_pair(apart: Apart, row: int, extra: tuple[int, ...]) -> Normalization | None:
    """Finds the normalization of a value; else that whose variance goes into what only this run computes before it.

    So it is where a running variance is kept, as the first that is made of it.
    """
    found = find_normalization(apart, row)
    if found is not None or not extra:
        return found
    reduced = (each for each in apart.side.edges.parents[extra[0]] if apart.side.operation(each).kind in REDUCING)
    return next((each for each in (_root_behind(apart, row) for row in reduced) if each is not None), None)


def find_normalization(apart: Apart, row: int) -> Normalization | None:
    """Finds the normalization that a value is part of: as its result, or on the way to its root."""
    if apart.side.operation(row).kind is Kind.NORMALISE:
        return _whole(apart.side, row)
    behind = (_written_out(apart.side, each) or in_kernel(apart.side, each) for each in roots_before(apart, row))
    found = next((each for each in behind if each is not None), None)
    return found or _root_behind(apart, row)


def _whole(side: Side, row: int) -> Normalization | None:
    """Reads a normalization that is one operation."""
    site = side.site(row)
    said = {common_name(site.framework, name): value for name, value in json.loads(site.attributes).items()}
    epsilon = said.get("epsilon")
    training = said.get("training")
    if not isinstance(epsilon, float):
        return None
    return Normalization(
        epsilon,
        INSIDE,
        0,
        row,
        whole=True,
        training=training if isinstance(training, bool) else None,
        parts=_means_beside(side, row),
        centred=None,
    )


def _means_beside(side: Side, row: int) -> int | None:
    """How many means a normalization gives beside its result; `None` where they are not recorded."""
    beside = row + 1
    is_next = beside < len(side.numbers) and side.numbers.site[beside] == side.numbers.site[row]
    return int(side.numbers.size[beside]) if is_next and side.slot(row) == 0 and side.slot(beside) == 1 else None


def roots_before(apart: Apart, row: int) -> Iterator[int]:
    """Finds the roots that a value was computed with, and none that the other run has: the result lies in between."""
    side = apart.side

    def around(each: int) -> Iterable[int]:
        parents = side.edges.parents[each]
        return (parent for parent in parents if apart.label[parent] < 0 or _may_be_root(side, parent))

    def scaled(each: int) -> Iterable[int]:
        return around(each) if side.operation(each).kind in _SCALING or _rearranges(side, each) else ()

    return (each for each in reached(row, scaled, _WRITTEN_OUT) if _may_be_root(side, each))


def _root_behind(apart: Apart, row: int) -> Normalization | None:
    """The normalization whose root is computed from a value, if the way there is part of one."""
    root = find_root(apart, row)
    return None if root is None else _written_out(apart.side, root)


def find_root(apart: Apart, row: int) -> int | None:
    """Finds the root of the normalization for which a value is measured."""
    side = apart.side

    def onward(each: int) -> Iterable[int]:
        return (child for child in _forward(side, each) if side.numbers.step[child] == side.numbers.step[row])

    ahead = reached(row, onward, _WRITTEN_OUT)
    for root in ahead:
        if _may_be_root(side, root) and row in measured_by(side, root) and _written_out(side, root) is not None:
            return root
    return None


def _may_be_root(side: Side, row: int) -> bool:
    kind = side.operation(row).kind
    if kind is Kind.POWER:
        return any(abs(abs(each) - 0.5) < 1e-6 for each in _number_inputs(side, row))
    return kind in ROOTS or kind is Kind.STANDARD_DEVIATION


def _written_out(side: Side, root: int) -> Normalization | None:
    """Reads the normalization around a root; `None` where it is the root of something else."""
    measured = measured_by(side, root)
    kinds = {side.operation(each).kind for each in measured}
    if side.updates[root] or side.backward[root] or not kinds & REDUCING:
        return None
    if side.operation(root).kind is Kind.STANDARD_DEVIATION and _is_rooted(side, root):
        return None  # a variance
    inside = next(((each, number) for each in measured for number in _epsilon_of(side, each)), None)
    outside = next(((each, number) for each in _forward(side, root) for number in _epsilon_of(side, each)), None)
    (begins, epsilon), place = inside or outside or (root, 0.0), INSIDE if inside else OUTSIDE if outside else ""
    correction, centred = _correction(side, measured), _is_centred(side, measured)
    parts = int(side.numbers.size[root])
    return Normalization(epsilon, place, correction, begins, False, True, parts, centred)


def _by_kept(apart: Apart, row: int) -> Normalization | None:
    """Reads a normalization that is written out and goes by a variance that was kept, in a variable not trained."""
    side = apart.side
    for root in roots_before(apart, row):
        for summed in side.edges.parents[root]:
            kept = [each for each in side.edges.parents[summed] if _is_kept(side, each)]
            for epsilon in _epsilon_of(side, summed) if kept and not side.updates[root] else ():
                return Normalization(epsilon, INSIDE, None, root, False, False, None, None)
    return None


def _is_kept(side: Side, row: int) -> bool:
    touched = side.touched(row)
    return side.operation(row).kind is Kind.READ and bool(touched) and not any(each.trainable for each in touched)


def _is_rooted(side: Side, row: int) -> bool:
    """Whether a root is taken of a value, maybe behind a sum with a number."""
    summed = (child for child in _forward(side, row) if side.operation(child).kind is Kind.ADD)
    kinds = {side.operation(child).kind for each in (row, *summed) for child in _forward(side, each)}
    return bool(kinds & (ROOTS | {Kind.POWER})) or is_rooted_in_kernel(side, row)


def measured_by(side: Side, root: int) -> list[int]:
    """Finds what a root is taken of: the sum with the epsilon, a mean of squares, and what is squared and averaged."""
    found, wanted = [root], root
    stages = (frozenset({Kind.ADD, Kind.MAXIMUM}), REDUCING, _SQUARING, _CENTRING, _CENTRING)
    if side.operation(root).kind is Kind.STANDARD_DEVIATION:
        return found
    for stage in stages:
        parents = [each for each in _through_shapes(side, wanted) if side.operation(each).kind in stage]
        found += parents
        if stage is _SQUARING and any(side.operation(each).kind is Kind.STANDARD_DEVIATION for each in found):
            break
        wanted = parents[0] if parents else wanted
    return list(dict.fromkeys(found))


def _through_shapes(side: Side, row: int) -> Iterator[int]:
    """What a value was made from, seen through what only rearranges or casts."""
    for parent in side.edges.parents[row]:
        yield parent
        if _rearranges(side, parent):
            yield from _through_shapes(side, parent)


def _rearranges(side: Side, row: int) -> bool:
    operation = side.operation(row)
    return operation.has(Trait.REARRANGES) or operation.kind is Kind.CAST


def _forward(side: Side, row: int) -> Iterator[int]:
    """What is made of a value in a forward pass."""
    children = side.edges.children[row]
    return (child for child in children if not (side.backward[child] or side.updates[child]))


def _epsilon_of(side: Side, row: int) -> Iterator[float]:
    """The number that a sum, or a bound from below, is taken with; nothing for any other operation."""
    if side.operation(row).kind in (Kind.ADD, Kind.MAXIMUM) and len(side.edges.parents[row]) > 1:
        yield from _number_inputs(side, row)


def _number_inputs(side: Side, row: int) -> Iterator[float]:
    for parent in side.edges.parents[row]:
        if side.numbers.size[parent] == 1 and side.operation(parent).kind in _WRITTEN:
            yield float(side.numbers.statistics[parent, LOW])


def _correction(side: Side, measured: list[int]) -> int | None:
    """What a variance divides by, less the number of elements; an operation that doesn't say takes that of a sample."""
    kinds = {side.operation(each).kind: each for each in measured}
    if Kind.STANDARD_DEVIATION in kinds:
        said = json.loads(side.site(kinds[Kind.STANDARD_DEVIATION]).attributes)
        value = said.get("correction", said.get("unbiased", 1))
        return int(value) if isinstance(value, (int, float)) else 1
    return 0 if Kind.MEAN in kinds else None


def _is_centred(side: Side, measured: list[int]) -> bool:
    """Whether a mean is taken off before what is squared is averaged."""
    kinds = {side.operation(each).kind for each in measured}
    less = (each for each in measured if side.operation(each).kind in (Kind.SUBTRACT, Kind.SQUARED_DIFFERENCE))
    means = (side.operation(other).kind is Kind.MEAN for each in less for other in side.edges.parents[each])
    return Kind.STANDARD_DEVIATION in kinds or any(means)


def _differences(a: Normalization, b: Normalization) -> Iterator[AttributeDifference]:
    if abs(a.epsilon - b.epsilon) > 1e-6 * max(abs(a.epsilon), abs(b.epsilon)):
        yield AttributeDifference("epsilon", as_written(a.epsilon), as_written(b.epsilon))
    if a.place and b.place and a.place != b.place:
        yield AttributeDifference(PLACE, a.place, b.place)
    if None not in (a.centred, b.centred) and a.centred != b.centred:
        yield AttributeDifference("centred", a.centred, b.centred)
        return  # of what is not centred no variance is taken
    if None not in (a.correction, b.correction) and a.correction != b.correction:
        yield AttributeDifference("correction", a.correction, b.correction)
    if None not in (a.parts, b.parts) and a.parts != b.parts and not (a.whole and b.whole):
        yield AttributeDifference(PARTS, a.parts, b.parts)
    if None not in (a.training, b.training) and a.training != b.training:
        yield AttributeDifference("training", a.training, b.training)


def _shown(a: Apart, b: Apart, of_a: Normalization, of_b: Normalization) -> tuple[int, int]:
    """The values that the two compute with the epsilon; beside another operation the nearest to its result."""
    kinds = a.side.operation(of_a.begins).kind, b.side.operation(of_b.begins).kind
    if of_a.whole == of_b.whole and (of_a.whole or kinds[0] == kinds[1]):
        return of_a.begins, of_b.begins
    if of_b.whole or (kinds[1] in ROOTS and not of_a.whole):
        return min(_results(a.side, of_a), key=lambda row: distance_of(a, b, row, of_b.begins)), of_b.begins
    return of_a.begins, min(_results(b.side, of_b), key=lambda row: distance_of(a, b, of_a.begins, row))


def _results(side: Side, found: Normalization) -> Iterator[int]:
    """What is computed with the root, in its pass, as far as it may be part of the normalization."""

    def onward(row: int) -> Iterable[int]:
        return (each for each in _forward(side, row) if side.operation(each).kind in _SCALING | ROOTS | {Kind.POWER})

    return reached(found.begins, onward, _WRITTEN_OUT)
