"""Says how two losses differ that are made of equal values: by labels, by weights, by what one of them adds."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import settings_of
from tensordbg.analysis.diff.broadcasts import same_shape, unlike_broadcasts
from tensordbg.analysis.diff.label_smoothing import unlike_smoothing
from tensordbg.analysis.diff.loss_settings import numbers_text, unlike_loss_settings
from tensordbg.analysis.diff.losses import LOSSES, computes_loss, losses_at_once, parts_of_loss
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.scaled_losses import is_size_of_axes, times
from tensordbg.analysis.diff.whole_inputs import unlike_whole, whole_inputs, whole_text
from tensordbg.analysis.diff.wording import Explained, attributes_text, settings_to_set, types_of
from tensordbg.analysis.failures.beginnings.words import shape_text
from tensordbg.operations.kinds import Kind

_IGNORED = "ignore_index"
_BELONGS = frozenset({Kind.LOG_SOFTMAX, Kind.SUM, Kind.MEAN, Kind.DIVIDE, Kind.CAST, *LOSSES})
"""Operations that are parts of a loss wherever it is taken."""


def explain_loss(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of two losses, or of operations that compute one, of equal values; `None` of all others."""
    if not (pair.of_losses or (computes_loss(a, pair.a) and computes_loss(b, pair.b))):
        return None
    scaled = times(a, b, pair)
    if scaled is not None:
        return _scaled(a, pair, scaled)
    smoothed = unlike_smoothing(a, b, pair)
    if smoothed:
        return of_smoothing(pair, smoothed)
    parts = parts_of_loss(a, pair.a), parts_of_loss(b, pair.b)
    settings = unlike_loss_settings(a, b, parts)
    if settings:
        return _with_settings(pair, settings)
    broadcast = unlike_broadcasts(a, b, parts)
    if broadcast is not None:
        return _with_broadcast(pair, *broadcast)
    other_labels = explain_whole(a, b, pair, *parts)
    if other_labels is not None:
        return other_labels
    text = "the losses are made of equal values and are not the same"
    text += _besides_text(a, b, parts) + (_written_out_text(a, b, pair, parts) or _only_text(a, b, parts))
    suggestion = (
        "compare the arguments of the two losses: labels, weights, label smoothing, what is ignored or added, and how "
        "they are reduced"
    )
    return Explained("value", pair.a, pair.b, pair.distance, True, (), text, suggestion)


def _besides_text(a: Apart, b: Apart, parts: tuple[list[int], list[int]]) -> str:
    besides, text = (_besides(a, parts[0]), _besides(b, parts[1])), ""
    for run, mine, theirs in (("A", *besides), ("B", *reversed(besides))):
        if mine and not theirs:
            text += f"; that of {run} is given {mine} besides, as weights are"
    for run, apart, rows in (("A", a, parts[0]), ("B", b, parts[1])):
        left_out = next((label for row in rows if (label := _left_out(apart, row)) is not None), None)
        text += "" if left_out is None else f"; that of {run} leaves out the label {left_out}"
    return text


def _left_out(apart: Apart, row: int) -> int | None:
    """The label that a loss is set to leave out, where it may be one."""
    label = settings_of(apart, row).get(_IGNORED) if apart.side.operation(row).kind is Kind.LABEL_LOSS else None
    return label if isinstance(label, int) and label >= 0 else None


def _only_text(a: Apart, b: Apart, parts: tuple[list[int], list[int]]) -> str:
    text = ""
    for run, side, rows, others in (("A", a, parts[0], parts[1]), ("B", b, parts[1], parts[0])):
        kinds = {(b if side is a else a).side.operation(row).kind for row in others}
        only = tuple(row for row in reversed(rows) if _is_telling(side, row, kinds))
        text += f"; only {run} computes {types_of(side, only)}" if only else ""
    return text


def _written_out_text(a: Apart, b: Apart, pair: Pair, parts: tuple[list[int], list[int]]) -> str:
    """Tells which run writes its loss out, and the numbers of both; empty where neither or both do."""
    whole = losses_at_once(a, b, pair)
    others = parts[1] if whole[0] else parts[0]
    if whole[0] == whole[1] or any((b if whole[0] else a).side.operation(row).kind in LOSSES for row in others):
        return ""
    run, other = "BA" if whole[0] else "AB"
    mine, theirs = (numbers_text(a, pair.a), numbers_text(b, pair.b))[:: -1 if whole[0] else 1]
    name = a.side.site(pair.a).op_type if whole[0] else b.side.site(pair.b).op_type
    text = f"; {run} writes out what {other} has as {name}"
    text += f", with the numbers {mine}" if mine else ""
    return text + (f", and {name} is given {theirs}" if theirs else "")


def of_smoothing(pair: Pair, difference: tuple[AttributeDifference, ...]) -> Explained:
    """Tells of two losses of which one takes its labels as less certain."""
    text = f"the losses are made of equal values, with unlike labels: {attributes_text(difference)}"
    return Explained("value", pair.a, pair.b, pair.distance, True, difference, text, settings_to_set(difference))


def of_written_loss(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of two losses of which only one is an operation, and of settings that have a name; `None` of others.

    The numbers of a formula are no settings of the operation, so they are not held against each other.
    """
    whole = losses_at_once(a, b, pair)
    if whole[0] != whole[1]:
        return explain_loss(a, b, pair)
    settings = unlike_loss_settings(a, b, ([pair.a], [pair.b])) if all(whole) else ()
    return _with_settings(pair, settings) if settings else None


def _with_settings(pair: Pair, difference: tuple[AttributeDifference, ...]) -> Explained:
    """Tells of two losses that are set otherwise."""
    text = f"the losses are made of equal values, with unlike attributes: {attributes_text(difference)}"
    return Explained("value", pair.a, pair.b, pair.distance, True, difference, text, settings_to_set(difference))


def _with_broadcast(pair: Pair, run: str, shapes: str) -> Explained:
    """Tells of two losses of which one is made of each value with each other, for want of equal shapes."""
    text = (
        f"the losses are made of equal values, and only {run} broadcasts them: {shapes}, each value with each of the "
        "other, where the other run takes them in pairs"
    )
    return Explained("value", pair.a, pair.b, pair.distance, True, (), text, same_shape(run))


def _scaled(a: Apart, pair: Pair, count: int) -> Explained:
    """Tells of two losses of which one is a number of times the other."""
    (run, other), times_as_large = ("AB" if count < 0 else "BA"), abs(count)
    text = f"the losses are made of equal values, and that of {run} is {times_as_large:,} times that of {other}"
    suggestion = "reduce both losses alike: by a mean or by a sum over the batch, the classes, the places in time"
    if is_size_of_axes(a, pair.a, times_as_large):
        text += f": a sum over {times_as_large:,} values of which {other} takes the mean"
    else:
        suggestion += "; and compare the factors of the two, such as the number of parts that a batch is taken in"
    return Explained("value", pair.a, pair.b, pair.distance, True, (), text, suggestion)


def explain_whole(a: Apart, b: Apart, pair: Pair, rows_a: list[int], rows_b: list[int]) -> Explained | None:
    """Tells of operations that are given other whole numbers; `None` of those that are not."""
    found = unlike_whole(whole_inputs(a, rows_a), whole_inputs(b, rows_b))
    if found is None:
        return None
    types, where = (a.side.site(pair.a).op_type, b.side.site(pair.b).op_type), whole_text(*found)
    text = f"{types[1]} of B is given other whole numbers than {types[0]} of A, such as indices"
    if computes_loss(a, pair.a) and computes_loss(b, pair.b):
        text = "the loss of B is given other whole numbers than that of A, such as labels"
    text += f": {where}" if where else ""
    suggestion = "compare what makes them: shifted by one, of other rows, in another order"
    return Explained("input", pair.a, pair.b, pair.distance, False, (), text, suggestion)


def _is_telling(apart: Apart, row: int, others: set[Kind]) -> bool:
    """Tells whether an operation of a loss is one that the other loss has not, and that not every loss has."""
    kind = apart.side.operation(row).kind
    return bool(apart.side.edges.parents[row]) and kind not in others and kind not in _BELONGS


def _besides(apart: Apart, rows: list[int]) -> str:
    """The shape of a tensor that goes into a loss, is made of nothing and only this run has; empty where none does."""
    side = apart.side
    for row in rows:
        for parent in side.edges.parents[row]:
            if apart.label[parent] < 0 and side.numbers.size[parent] > 1 and not side.edges.parents[parent]:
                return shape_text(side.shape(parent))
    return ""
