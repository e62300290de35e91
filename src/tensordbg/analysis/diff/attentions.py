"""Attentions that part, of which one may be a single operation: by their scales, their masks, and what is added."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attention_shapes import has_heads, is_last, is_single
from tensordbg.analysis.diff.attributes import AXIS, as_written, settings_of
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.fused import fused_before, inputs_of, is_fused
from tensordbg.analysis.diff.not_finite import health_of
from tensordbg.analysis.diff.numbers import HIGH, LOW
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.wording import SUGGESTIONS, Explained, attributes_text, settings_to_set
from tensordbg.analysis.diff.written_out import composite_of
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

SCALE = "scale"
CAUSAL, DIAGONAL, HIDDEN = "is_causal", "diagonal of the mask", "hidden scores"
_CHOOSING = (Kind.SELECT, Kind.MASKED_FILL)
_SCALING = (Kind.MULTIPLY, Kind.DIVIDE)
_TELLING = (Kind.ADD, Kind.SUBTRACT, Kind.TANH, Kind.CLIP)
_BEFORE_SOFTMAX = (Kind.ADD, Kind.SUBTRACT, Kind.TANH, Kind.CLIP, *_SCALING, *_CHOOSING)
_NEAR = 4
"""So many values around an operation are looked at for the softmax of its attention."""
_AHEAD = 24
"""... and so many where one run has the attention as one operation."""
_DEEP = 12
"""No more operations lie between the product of queries and keys and their softmax."""
_MASKS_FROM = -1e3
"""What is added to hide a score is less than this."""
_ROUGHLY = 1e-5
_OF_CAUSAL = (
    "a causal mask hides from each place what lies ahead of it, and shows it itself: compare what masks the two"
)
_ADD_THE_SAME = "do the same to the scores in both: add a bias of places, as ALiBi is one, a mask, a cap"


@dataclass(frozen=True)
class Attention:
    """An attention, be it one operation or written out."""

    result: int
    scale: float = 1.0
    """By what the products of queries and keys are multiplied."""
    weights: int | None = None
    """The result of the softmax, where it is written out."""
    causal: bool = False
    """Whether the operation hides what lies ahead of each place by itself."""
    added: tuple[int, ...] = ()
    """Values that are added to the scores and hide nothing: a bias of places."""
    masks: bool = False
    """Whether it is given a mask: of one operation it is not known what that hides."""
    besides: str = ""
    """What else is done to the scores but to multiply them by a number, to add to them and to hide them."""
    in_kernel: bool = False
    """Whether a kernel computes some of it and keeps that to itself."""
    rows: tuple[int, ...] = ()
    """What lies between the products and the softmax, where it is written out."""
    axis: bool = True
    """Whether the softmax goes along what is looked at, the last axis."""


def explain_attention(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of two attentions how they differ; `None` where either is none, or no difference is known."""
    of_a, of_b = _attention(a, pair.a, pair.extra_a), _attention(b, pair.b, pair.extra_b)
    if of_a is not None and of_b is None and of_a.weights is None:
        of_b = _ahead_of(b, pair.b)
    elif of_b is not None and of_a is None and of_b.weights is None:
        of_a = _ahead_of(a, pair.a)
    if (
        of_a is None
        or of_b is None
        or not (_are_unlike(of_a, of_b, pair) or _scale_elsewhere(a, b, (of_a, of_b), pair))
    ):
        return None
    rows = of_a.result, of_b.result
    difference = (*_scales(of_a, of_b), *(_axes(of_a, of_b) or _masks((a, of_a), (b, of_b))))
    if difference:
        text = f"attention is computed of equal values with unlike attributes: {attributes_text(difference)}"
        return Explained("value", *rows, pair.distance, True, difference, text, _suggestion(difference))
    both = (a, of_a), (b, of_b)
    told = _masked_in_one(of_a, of_b) or _biases(*both) or _besides(of_a, of_b) or _places(*both)
    return None if told is None else Explained("value", *rows, pair.distance, True, (), *told)


def _are_unlike(a: Attention, b: Attention, pair: Pair) -> bool:
    """Tells whether two attentions are compared as wholes: where both are written out, operations meet operations."""
    whole = [each.weights is None for each in (a, b)]
    if any(whole) or a.in_kernel or b.in_kernel:
        return not all(whole)
    return a.axis == b.axis and ((a.masks and b.masks) or not (pair.extra_a or pair.extra_b))


def _scale_elsewhere(a: Apart, b: Apart, both: tuple[Attention, Attention], pair: Pair) -> bool:
    """Tells whether each run multiplies by a number of its own, one the scores and the other what they are made of."""
    scales = both[0].scale, both[1].scale
    extra = [(a, row) for row in pair.extra_a] + [(b, row) for row in pair.extra_b]
    own = 1.0 not in scales and not math.isclose(*scales, rel_tol=_ROUGHLY)
    return (
        own and both[0].axis == both[1].axis and all(each.side.operation(row).kind in _SCALING for each, row in extra)
    )


def _suggestion(difference: tuple[AttributeDifference, ...]) -> str:
    of_masks = {CAUSAL, DIAGONAL, HIDDEN} & {each.attribute for each in difference}
    if not of_masks:
        return settings_to_set(difference)
    of_scale = tuple(each for each in difference if each.attribute == SCALE)
    plain = SUGGESTIONS["mask"] if HIDDEN in of_masks else _OF_CAUSAL
    return f"{plain}; {settings_to_set(of_scale)}" if of_scale else plain


def _scales(a: Attention, b: Attention) -> Iterator[AttributeDifference]:
    if not math.isclose(a.scale, b.scale, rel_tol=_ROUGHLY):
        yield AttributeDifference(SCALE, as_written(a.scale), as_written(b.scale))


def _axes(a: Attention, b: Attention) -> tuple[AttributeDifference, ...]:
    names = ["keys" if each.axis else "queries" for each in (a, b)]
    return (AttributeDifference(AXIS, *names),) if a.axis != b.axis else ()


def _masks(a: tuple[Apart, Attention], b: tuple[Apart, Attention]) -> Iterator[AttributeDifference]:
    """Compares how many scores masks hide: as causal masks do, or causal ones that begin at another diagonal."""
    square = _square(a, b)
    hidden = [_hidden(*each, square) for each in (a, b)] if square else []
    if square is None or hidden[0] == hidden[1]:
        return
    diagonals = [_diagonal(each, square) if each else None for each in hidden]
    if None not in diagonals:
        yield AttributeDifference(DIAGONAL, *diagonals)
    elif 0.0 in hidden and 0 in diagonals:
        yield AttributeDifference(CAUSAL, *(each == 0 for each in diagonals))
    elif math.isclose(a[1].scale, b[1].scale, rel_tol=_ROUGHLY):
        yield AttributeDifference(HIDDEN, *(as_written(each) for each in hidden))


def _square(*both: tuple[Apart, Attention]) -> tuple[int, int] | None:
    """The numbers of places that look and that are looked at; `None` where it is not known what a mask hides."""
    if any(each.masks and each.weights is None for _, each in both):
        return None
    shapes = (None if each.weights is None else apart.side.shape(each.weights) for apart, each in both)
    return next(((shape[-2], shape[-1]) for shape in shapes if shape and len(shape) > 1), None)


def _hidden(apart: Apart, attention: Attention, square: tuple[int, int]) -> float:
    """The number of scores of one head that are hidden from the result, by the zeros of the softmax."""
    if attention.weights is None:
        return float(_ahead(square, 0)) if attention.causal else 0.0
    health = health_of(apart, attention.weights) if attention.masks else None  # what is small enough becomes 0, too
    return 0.0 if health is None else health.zero * math.prod(square) / health.size


def _ahead(square: tuple[int, int], diagonal: int) -> int:
    """How many elements of a matrix lie above a diagonal."""
    rows, columns = square
    return sum(min(columns, max(0, columns - 1 - diagonal - row)) for row in range(rows))


def _diagonal(hidden: float, square: tuple[int, int]) -> int | None:
    """The diagonal above which so many elements lie, the one nearest to the middle."""
    every = sorted(range(-square[0], square[1]), key=lambda each: (abs(each), -each))
    return next((each for each in every if _ahead(square, each) == hidden), None)


def _biases(a: tuple[Apart, Attention], b: tuple[Apart, Attention]) -> tuple[str, str] | None:
    """Tells of values that one run adds to the scores and the other has nowhere."""
    for run, other_run, (mine, of_mine), (other, of_other) in (("A", "B", a, b), ("B", "A", b, a)):
        labels = {int(other.label[row]) for row in of_other.added if other.label[row] >= 0}
        alone = [row for row in of_mine.added if int(mine.label[row]) not in labels]
        if alone:
            text = f"{run} adds values {_range(mine, alone[0])} to the scores of its attention"
            others = [row for row in of_other.added if other.label[row] < 0]
            instead = f"adds ones {_range(other, others[0])}" if others else ""
            if of_other.masks and of_other.weights is None:
                instead = "is given other ones, or a mask"
            instead = instead or (f"computes {of_other.besides} of them" if of_other.besides else "does not")
            return f"{text}, and {other_run} {instead}", _ADD_THE_SAME
    return None


def _range(apart: Apart, row: int) -> str:
    low, high = (float(apart.side.numbers.statistics[row, column]) for column in (LOW, HIGH))
    return f"from {low:.4g} to {high:.4g}"


def _masked_in_one(a: Attention, b: Attention) -> tuple[str, str] | None:
    """Tells of an attention that is given a mask as a value, where the other has none."""
    if a.masks == b.masks or a.causal or b.causal:
        return None
    run, other = ("A", "B") if a.masks else ("B", "A")
    return f"the attention of {run} is given a mask, and that of {other} none", SUGGESTIONS["mask"]


def _besides(a: Attention, b: Attention) -> tuple[str, str] | None:
    """Tells what else is done to scores before a softmax, such as a tanh, or in a kernel, of which no more is known."""
    if a.besides == b.besides:
        return None
    told = [f"{run} computes {each.besides} of them" for run, each in (("A", a), ("B", b)) if each.besides]
    return "the scores of the two attentions are not the same: " + "; ".join(told), _ADD_THE_SAME


def _places(a: tuple[Apart, Attention], b: tuple[Apart, Attention]) -> tuple[str, str] | None:
    """Tells of masks that hide as many scores and surely others, where nothing else differs."""
    square = _square(a, b)
    if square is None or a[1].added or b[1].added or not _hidden(*a, square):
        return None
    share = f"{_hidden(*a, square):g} of {math.prod(square)}"
    text = f"in both runs the mask of an attention hides {share} scores of a head, and not the same ones"
    return text, SUGGESTIONS["mask"]


def _attention(apart: Apart, row: int, extra: tuple[int, ...]) -> Attention | None:
    """Finds the attention around a value: an operation, or the softmax behind or before it."""
    row = next((each for each in extra if _is_whole(apart, each)), row)
    operation = apart.side.operation(row)
    if apart.side.backward[row] or apart.side.updates[row]:
        return None
    if _is_whole(apart, row):
        return None if apart.side.slot(row) else _whole(apart, row)
    if operation.has(Trait.CONTRACTS):
        behind = next(_written(apart, row, reached(row, apart.unknown_parents, _NEAR)), None)
        if behind is not None:
            return behind
    if operation.has(Trait.CONTRACTS) or operation.kind in (*_BEFORE_SOFTMAX, Kind.SOFTMAX):
        found = _written(apart, row, reached(row, apart.followed, _NEAR))
        return next((each for each in found if row in each.rows), None)
    return None


def _ahead_of(apart: Apart, row: int) -> Attention | None:
    """Finds the first attention that is written out in what is made of a value: of queries, keys or values."""
    ahead = reached(row, apart.followed, _AHEAD)
    near = (each for made in ahead for each in (made, *apart.unknown_parents(made)))
    found = next(_written(apart, row, near), None)
    if found is None or found.weights is None:
        return None
    mixed = (
        each for each in apart.side.edges.children[found.weights] if apart.side.operation(each).has(Trait.CONTRACTS)
    )
    return replace(found, result=next(mixed, row))


def _is_whole(apart: Apart, row: int) -> bool:
    operation = apart.side.operation(row)
    return operation.has(Trait.CONTRACTS) and operation.has(Trait.TAKES_MAXIMUM_AWAY)


def _whole(apart: Apart, row: int) -> Attention | None:
    settings = settings_of(apart, row)
    scale = settings.get(SCALE)
    if not isinstance(scale, float):
        return None
    given = apart.side.edges.parents[row]
    masks = [each for each in given if _is_mask(apart, each)]
    return Attention(row, scale, None, bool(settings.get(CAUSAL)), (), bool(masks) or len(given) > 3)


def _is_mask(apart: Apart, row: int) -> bool:
    health = health_of(apart, row)
    return health is not None and (health.neg_inf > 0 or apart.side.numbers.statistics[row, LOW] < _MASKS_FROM)


def _written(apart: Apart, row: int, near: Iterable[int]) -> Iterator[Attention]:
    for each in near:
        softmax = composite_of(apart, each)
        if softmax is not None and softmax.kind is Kind.SOFTMAX and softmax.result == each:
            found = _scores(apart, softmax.source, _DEEP)
            if found is not None and (has_heads(apart, each) or is_single(apart, each, found.rows)):
                within = _with_kernel(apart, found, softmax.rows[0])
                rows = (*found.rows, *softmax.rows)
                yield replace(within, result=row, weights=each, rows=rows, axis=is_last(apart, each))


def _scores(apart: Apart, row: int, most: int) -> Attention | None:
    """Walks back from what a softmax is taken of to the product of queries and keys."""
    side = apart.side
    kind = side.operation(row).kind
    if side.operation(row).has(Trait.CONTRACTS):
        factors = (_scaled_before(apart, each) for each in apart.unknown_parents(row))
        scale = math.prod(factors) * _alpha(apart, row) * _factor_in_kernel(apart, row)
        return Attention(row, scale, rows=(row,))
    if kind not in _BEFORE_SOFTMAX or not most:
        return None
    given = [each for each in side.edges.parents[row] if side.numbers.size[each] == side.numbers.size[row]]
    for each in given:
        found = _scores(apart, each, most - 1)
        if found is not None:
            others = [other for other in side.edges.parents[row] if other != each and kind not in _SCALING]
            biases = [other for other in others if not (apart.constant[other] or _is_mask(apart, other))]
            masks = found.masks or kind in _CHOOSING or any(_is_mask(apart, other) for other in others)
            added = (*found.added, *(biases if kind not in _CHOOSING else ()))
            scale, rows = found.scale * _factor(apart, row), (*found.rows, row)
            besides = side.site(row).op_type if kind in (Kind.TANH, Kind.CLIP) else found.besides
            return replace(found, scale=scale, added=added, masks=masks, besides=besides, rows=rows)
    return None


def _with_kernel(apart: Apart, found: Attention, begins: int) -> Attention:
    """Adds what a kernel does to the scores and keeps to itself."""
    inside = list(fused_before(apart.side.values, int(apart.side.numbers.site[begins])))
    kinds = [operation_of(site).kind for site in inside]
    hides = any(kind in _CHOOSING for kind in kinds) or any(map(_MASKS_FROM.__gt__, _values(apart, inside)))
    names = (site.op_type for site, kind in zip(inside, kinds, strict=True) if kind in _TELLING)
    inner = ", ".join(dict.fromkeys(names))
    besides = ", ".join(filter(None, (found.besides, inner and f"{inner} (inside a kernel)")))
    scale = found.scale * _factor_in_kernel(apart, begins)
    masks, within = found.masks or hides, found.in_kernel or bool(inside)
    return replace(found, scale=scale, masks=masks, besides=besides, in_kernel=within)


def _factor_in_kernel(apart: Apart, row: int) -> float:
    """The numbers by which a kernel multiplies on the way to a value from what it is given."""
    number = int(apart.side.numbers.site[row])
    given = [each for each in inputs_of(apart.side.values, number) if is_fused(apart.side.program.sites[each])]
    if not apart.side.operation(row).has(Trait.CONTRACTS):
        return next((each for each in (_along(apart, inner, _DEEP) for inner in given) if each is not None), 1.0)
    return math.prod(_along(apart, inner, _DEEP) or 1.0 for inner in given)


def _along(apart: Apart, number: int, most: int) -> float | None:
    """The factor along one way from the result of a product to an operation of a kernel; `None` where none leads."""
    site, given = apart.side.program.sites[number], inputs_of(apart.side.values, number)
    if not is_fused(site):
        return 1.0 if operation_of(site).has(Trait.CONTRACTS) else None
    found = (_along(apart, each, most - 1) for each in (given if most else ()))
    factor = next((each for each in found if each is not None), None)
    kind, numbers = operation_of(site).kind, [each for each in _values(apart, [site]) if each]
    if factor is None or kind not in _SCALING or len(numbers) != 1:
        return factor
    return factor * numbers[0] if kind is Kind.MULTIPLY else factor / numbers[0]


def _values(apart: Apart, sites: Iterable[Site]) -> Iterator[float]:
    """The numbers that operations of kernels are given."""
    values = apart.side.values
    for given in (apart.side.program.sites[each] for site in sites for each in inputs_of(values, site.site)):
        value = json.loads(given.attributes).get("value")
        if isinstance(value, float):
            yield value


def _scaled_before(apart: Apart, row: int) -> float:
    """By what queries or keys are multiplied before their product, of what both runs have."""
    whole = [each for each in apart.side.edges.parents[row] if apart.side.numbers.size[each] > 1]
    return _factor(apart, row) if len(whole) == 1 else 1.0


def _factor(apart: Apart, row: int) -> float:
    """The number that an operation multiplies by, or the inverse of the one it divides by."""
    side, kind = apart.side, apart.side.operation(row).kind
    numbers = [each for each in side.edges.parents[row] if side.numbers.size[each] == 1]
    if kind not in _SCALING or len(numbers) != 1:
        return 1.0
    value = float(side.numbers.statistics[numbers[0], LOW])
    return value if kind is Kind.MULTIPLY else 1 / value if value else 1.0


def _alpha(apart: Apart, row: int) -> float:
    alpha = settings_of(apart, row).get("alpha", 1.0)
    return float(alpha) if isinstance(alpha, (int, float)) else 1.0
