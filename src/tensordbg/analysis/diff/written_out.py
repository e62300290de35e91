"""Operations that one framework has and another writes out: a normalization, a GELU or SiLU, a softmax.

A written-out one is taken as a whole: what it is computed of, what it gives, and all that lies between. So it can stand
beside the one operation of the other run, or be missing there as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.fused import fused_before
from tensordbg.analysis.diff.normalizations import find_root, measured_by, roots_before
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.program.operations import operation_of
from tensordbg.operations.kinds import Kind

_ERRORS = {Kind.TANH: "tanh", Kind.ERF: "none", Kind.ERFC: "none"}
"""The function by which a GELU approximates the normal distribution, and what PyTorch calls that."""
_AROUND_ERROR = frozenset({Kind.MULTIPLY, Kind.DIVIDE, Kind.ADD, Kind.NEGATE, Kind.POWER, Kind.SQUARE, *_ERRORS})
_AROUND_EXPONENTIAL = frozenset({Kind.MAX, Kind.SUBTRACT, Kind.EXP, Kind.SUM, Kind.DIVIDE})
_SCALING = frozenset({Kind.MULTIPLY, Kind.DIVIDE, Kind.ADD, Kind.SUBTRACT, Kind.RECIPROCAL, Kind.SQRT, Kind.RSQRT})
_ACTIVATIONS = (Kind.GELU, Kind.SILU)
_WIDE = 16
"""So many values around one are looked at for the rest of a formula."""


@dataclass(frozen=True)
class Composite:
    """An operation, be it one or written out."""

    kind: Kind
    source: int
    """The value that it is computed of."""
    result: int
    rows: tuple[int, ...]
    """All values of it, in their order, the result last."""
    whole: bool
    """Whether it is one operation."""
    form: str = ""
    """Of a GELU how it approximates, as PyTorch says it."""


def composite_of(apart: Apart, row: int) -> Composite | None:
    """Finds the normalization, the GELU, the SiLU or the softmax that a value is part of."""
    side = apart.side
    if side.backward[row] or side.updates[row]:
        return None
    return (
        _whole(side, row)
        or _written_gelu(side, row)
        or _written_silu(side, row)
        or _written_softmax(side, row)
        or _written_normalization(apart, row)
    )


def _whole(side: Side, row: int) -> Composite | None:
    kind = side.operation(row).kind
    parents = [each for each in side.edges.parents[row] if side.numbers.size[each] == side.numbers.size[row]]
    if kind in _ACTIVATIONS:  # which may be given a part of a value, as a view that is not recorded
        parents = parents or [each for each in side.edges.parents[row] if side.numbers.size[each] > 1]
    if kind not in (Kind.NORMALISE, Kind.SOFTMAX, *_ACTIVATIONS) or not parents or side.slot(row):
        return None
    form = json.loads(side.site(row).attributes).get("approximate", "none") if kind is Kind.GELU else ""
    return Composite(kind, parents[0], row, (row,), whole=True, form=str(form))


def _written_gelu(side: Side, row: int) -> Composite | None:
    """The GELU around a value: a half of what goes in, times one more than a tanh or an error function of it."""

    def around(each: int) -> Iterable[int]:
        near = (*side.edges.parents[each], *_forward(side, each)) if side.operation(each).kind in _AROUND_ERROR else ()
        return (other for other in near if side.operation(other).kind in _AROUND_ERROR)

    for root in reached(row, around, _WIDE):
        if side.operation(root).kind in _ERRORS:
            found = _gelu(side, root)
            if found is not None and row in found.rows:
                return found
    return None


def _written_silu(side: Side, row: int) -> Composite | None:
    """The SiLU around a value: the product of a sigmoid and what that is taken of, maybe times 1 as a Swish has it."""
    if side.operation(row).kind not in (Kind.SIGMOID, Kind.MULTIPLY):
        return None
    for root in (row, *side.edges.parents[row], *_forward(side, row)):
        if side.operation(root).kind is Kind.SIGMOID:
            factors = [each for each in _whole_parents(side, root) if _is_factor(side, each)]
            given = {*_whole_parents(side, root), *(other for each in factors for other in _whole_parents(side, each))}
            for result in _forward(side, root):
                others = [each for each in _whole_parents(side, result) if each != root]
                rows = (*factors, root, result)
                if side.operation(result).kind is Kind.MULTIPLY and set(others) & given and row in rows:
                    return Composite(Kind.SILU, others[0], result, rows, whole=False)
    return None


def _is_factor(side: Side, row: int) -> bool:
    return side.operation(row).kind is Kind.MULTIPLY and len(_whole_parents(side, row)) == 1


def _gelu(side: Side, root: int) -> Composite | None:
    last, summed, rows = root, side.operation(root).kind is Kind.ERFC, [root]
    for _ in range(4):
        following = next((each for each in _forward(side, last) if _is_step(side, last, each)), None)
        if following is None:
            return None
        rows.append(following)
        others = [each for each in _whole_parents(side, following) if each != last]
        summed |= side.operation(following).kind is Kind.ADD
        if others:
            return _with_source(side, root, (others[0], following), rows) if summed else None
        last = following
    return None


def _with_source(side: Side, root: int, product: tuple[int, int], rows: list[int]) -> Composite | None:
    """Completes a GELU by the factor that its result is the product with."""
    factor, result = product
    behind = set(_made_from(side, root, _WIDE))
    halves = _whole_parents(side, factor) if side.operation(factor).kind in (Kind.MULTIPLY, Kind.DIVIDE) else []
    source = halves[0] if len(halves) == 1 and halves[0] in behind else factor
    if source not in behind:
        return None
    if source != factor:
        rows.append(factor)
    after = [each for each in _forward(side, result) if _is_step(side, result, each)]
    if source == factor and len(after) == 1 and not _halved(side, rows) and len(_whole_parents(side, after[0])) == 1:
        rows.append(after[0])
        result = after[0]
    inner = [each for each in behind if each != source and source in _made_from(side, each, _WIDE)]
    every = tuple(sorted({*rows, *inner}, key=lambda each: (each == result, each)))
    return Composite(Kind.GELU, source, result, every, whole=False, form=_ERRORS[side.operation(root).kind])


def _halved(side: Side, rows: list[int]) -> bool:
    return any(side.operation(each).kind is Kind.MULTIPLY and len(_whole_parents(side, each)) == 1 for each in rows)


def _is_step(side: Side, row: int, following: int) -> bool:
    """Whether a sum with a number, or a product, goes on from a value."""
    kind, whole = side.operation(following).kind, _whole_parents(side, following)
    return kind is Kind.MULTIPLY or (kind is Kind.ADD and whole == [row])


def _whole_parents(side: Side, row: int) -> list[int]:
    return [each for each in side.edges.parents[row] if side.numbers.size[each] > 1]


def _made_from(side: Side, row: int, most: int) -> Iterator[int]:
    """A value and what it is made of by the arithmetic of a GELU."""

    def back(each: int) -> Iterable[int]:
        return _whole_parents(side, each) if side.operation(each).kind in _AROUND_ERROR else ()

    return reached(row, back, most)


def _forward(side: Side, row: int) -> Iterator[int]:
    step, children = side.numbers.step, side.edges.children[row]
    return (each for each in children if not (side.backward[each] or side.updates[each]) and step[each] == step[row])


def _written_softmax(side: Side, row: int) -> Composite | None:
    """The softmax around a value: what is taken off, an exponential, and its quotient by its sum."""

    def around(each: int) -> Iterable[int]:
        near = (*side.edges.parents[each], *_forward(side, each))
        return (other for other in near if side.operation(other).kind in _AROUND_EXPONENTIAL)

    if side.operation(row).kind not in _AROUND_EXPONENTIAL:
        return None
    for root in reached(row, around, _WIDE):
        if side.operation(root).kind is Kind.EXP:
            found = _softmax(side, root)
            if found is not None and row in found.rows:
                return found
    return None


def _softmax(side: Side, root: int) -> Composite | None:
    kinds, sizes = side.operation, side.numbers.size
    less = [each for each in side.edges.parents[root] if kinds(each).kind is Kind.SUBTRACT]
    before = [other for each in (root, *less) for other in side.edges.parents[each]]
    largest = next((each for each in before if kinds(each).kind is Kind.MAX), None)
    quotients = (each for each in _forward(side, root) if kinds(each).kind is Kind.DIVIDE)
    result = next((each for each in quotients if sizes[each] == sizes[root]), None)
    if result is None or (largest is None and not _takes_largest_off(side, root)):
        return None
    sums = [each for each in _forward(side, root) if kinds(each).kind is Kind.SUM]
    begins = root if largest is None else largest
    source = max(side.edges.parents[begins], key=lambda each: int(sizes[each]), default=None)
    rows = (*sorted({begins, *less, root, *sums}), result)
    return None if source is None else Composite(Kind.SOFTMAX, source, result, rows, whole=False)


def _takes_largest_off(side: Side, root: int) -> bool:
    """Whether a kernel takes the largest element off before an exponential, and keeps it to itself."""
    found = fused_before(side.values, int(side.numbers.site[root]))
    return any(operation_of(site).kind is Kind.MAX for site in found)


def _written_normalization(apart: Apart, row: int) -> Composite | None:
    """The normalization around a value: what is measured, the root of it, and what is scaled by that."""
    side = apart.side
    beside = (each for start in (row, *_forward(side, row)) for each in roots_before(apart, start))
    root = find_root(apart, row) or next((each for each in beside if find_root(apart, each) is not None), None)
    if root is None:
        return None
    measured = measured_by(side, root)
    sizes = side.numbers.size
    given = [each for inner in measured for each in side.edges.parents[inner] if each not in measured]
    source = max(given, key=lambda each: int(sizes[each]), default=None)
    if source is None:
        return None
    rows = {*measured, root}
    rows.update(each for each in _forward(side, source) if _is_centred(side, each, rows))
    result = root
    for each in reached(root, lambda last: _scaled(side, last, rows, source), _WIDE):
        rows.add(each)
        result = each if sizes[each] == sizes[source] else result
    every = tuple(sorted(rows, key=lambda each: (each == result, each)))
    whole_result = sizes[result] == sizes[source] and row in rows
    return Composite(Kind.NORMALISE, source, result, every, whole=False) if whole_result else None


def _is_centred(side: Side, row: int, rows: set[int]) -> bool:
    """Whether a part of a normalization is taken from a value: its mean."""
    return side.operation(row).kind is Kind.SUBTRACT and any(each in rows for each in side.edges.parents[row])


def _scaled(side: Side, row: int, rows: set[int], source: int) -> Iterator[int]:
    """What is made of a part of a normalization without another value as large as its result, but its source."""
    sizes, from_root = side.numbers.size, {row, source}
    size = sizes[source]
    for each in _forward(side, row):
        others = [other for other in side.edges.parents[each] if other not in rows | from_root]
        foreign = [other for other in others if sizes[other] == size]
        centred = sizes[row] != size and side.operation(each).kind in (Kind.MULTIPLY, Kind.DIVIDE)
        if side.operation(each).kind in _SCALING and (not foreign or centred):
            yield each
