"""Says what an operation means that only one of the runs computes: a factor, a padding, random numbers, a loss."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair, are_of_one_size
from tensordbg.analysis.diff.arrangement import in_another_order
from tensordbg.analysis.diff.attributes import setting_differences
from tensordbg.analysis.diff.beginnings import chosen_by, unlike_inputs
from tensordbg.analysis.diff.explaining_losses import of_smoothing
from tensordbg.analysis.diff.explaining_order import of_order
from tensordbg.analysis.diff.explaining_shapes import explain_shape
from tensordbg.analysis.diff.factors import unlike_factors
from tensordbg.analysis.diff.label_smoothing import unlike_smoothing
from tensordbg.analysis.diff.loss_settings import settings_ahead
from tensordbg.analysis.diff.marks import unlike_marks
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.wording import SUGGESTIONS, Explained, attributes_text, of_rows, settings_to_set, types_of
from tensordbg.analysis.diff.written_out import composite_of
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_REDUCED = "compare how the two losses are reduced: sum, mean, weights, replicas; and what is added, such as a penalty"
_WRITTEN_OUT = {Kind.NORMALISE: "a normalization", Kind.GELU: "a GELU", Kind.SILU: "a SiLU", Kind.SOFTMAX: "a softmax"}


def explain_missing(a: Apart, b: Apart, pair: Pair, chance: str) -> Explained:
    """Tells of a pair on the way to which one run computes something besides.

    Args:
        a: The reference.
        b: The other run.
        pair: The two values.
        chance: The operation that draws random numbers on that way, see `chance_of`.
    """
    if factors := unlike_factors(a, b, pair) or settings_ahead(a, b, pair):
        return _of_settings(pair, factors)
    run, mine, extra = ("A", a, pair.extra_a) if pair.extra_a else ("B", b, pair.extra_b)
    computed = tuple(row for row in extra if not _only_rearranges(mine, row))
    if not computed and (rearranged := _of_rearranged(a, b, pair)) is not None:
        return rearranged
    extra, other = computed or extra, "B" if run == "A" else "A"
    names = types_of(mine, extra)
    if chance:
        text = f"only {run} computes {names}, of random numbers ({chance}); {other} goes on without"
        return of_rows(pair, "random", text, SUGGESTIONS["random"])
    smoothed = unlike_smoothing(a, b, pair) if a.is_loss(pair.a) and b.is_loss(pair.b) else ()
    if smoothed:
        return of_smoothing(pair, smoothed)
    of_loss = pair.a in pair.extra_a or pair.b in pair.extra_b
    if of_loss and a.is_loss(pair.a) and b.is_loss(pair.b):
        text = (
            f"gradients are taken in {other} of a value that both runs have, and in {run} of what {names} makes of it"
        )
        return of_rows(pair, "missing", text, _REDUCED)
    text = f"{run} computes {names} of values that both runs have, before {_next(a, b, pair, run)}; {other} does not"
    return of_rows(pair, "missing", text, f"compute the same in {other}, or leave it out in {run}")


def _only_rearranges(apart: Apart, row: int) -> bool:
    """Whether an operation makes no elements of its own: not those that are mirrored at an edge."""
    operation = apart.side.operation(row)
    return operation.has(Trait.REARRANGES) and operation.kind is not Kind.PAD_WITH_OWN


def _of_rearranged(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of a value for which one run only rearranges what goes in, as where it puts zeros around an image."""
    if not are_of_one_size(a, b, pair.a, pair.b):
        return explain_shape(a, b, pair)
    if settings := setting_differences(a, b, pair):
        return _of_settings(pair, settings)
    if in_another_order(a, b, pair):
        text, suggestion = unlike_marks(a, b, pair) or of_order(a, b, pair)
        return of_rows(pair, "value", text, suggestion)
    return None


def _of_settings(pair: Pair, settings: tuple[AttributeDifference, ...]) -> Explained:
    text = f"from equal inputs, with unlike attributes: {attributes_text(settings)}"
    return Explained("value", pair.a, pair.b, pair.distance, True, settings, text, settings_to_set(settings))


def _next(a: Apart, b: Apart, pair: Pair, run: str) -> str:
    side, row = (a.side, pair.a) if run == "A" else (b.side, pair.b)
    extra = pair.extra_a if run == "A" else pair.extra_b
    if row in extra:
        side, row = (b.side, pair.b) if run == "A" else (a.side, pair.a)
    composite = composite_of(a if side is a.side else b, row)
    return side.site(row).op_type if composite is None or composite.whole else _WRITTEN_OUT[composite.kind]


def chance_of(a: Apart, b: Apart, pair: Pair) -> str:
    """Tells the operation that draws the random numbers of what one run computes alone; empty where none does."""
    extra = [(a, row) for row in pair.extra_a] + [(b, row) for row in pair.extra_b]
    drawn = (each.drawn_by for mine, row in extra for each in unlike_inputs(mine, row))
    chosen = (chosen_by(mine, row) for mine, row in extra)
    return next((each for each in (*drawn, *chosen) if each), "")
