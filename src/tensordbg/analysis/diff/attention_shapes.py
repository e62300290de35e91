"""Tells by the shapes of a softmax, and of what went into its scores, whether it can be that of an attention."""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.attributes import AXIS, settings_of
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_TRANSPOSING = ("transpose_b", "adj_y")
"""Settings of TensorFlow's by which a product takes its second factor transposed."""


def has_heads(apart: Apart, softmax: int) -> bool:
    """Tells whether a softmax is of several matrices: one of each row of a batch, or of each head."""
    return len(apart.side.shape(softmax) or ()) > 2


def is_single(apart: Apart, softmax: int, scores: Sequence[int]) -> bool:
    """Tells whether a softmax is of one matrix, without a batch, and weighs rows: of scores, and of no layer's."""
    side = apart.side
    product = next(row for row in scores if side.operation(row).has(Trait.CONTRACTS))
    weighs = any(side.operation(each).has(Trait.CONTRACTS) for each in side.edges.children[softmax])
    if not weighs or any(side.is_read(each) for each in side.edges.parents[product]):
        return False
    return len(side.shape(softmax) or ()) > 1 and _is_of_rows(apart, product)


def _is_of_rows(apart: Apart, product: int) -> bool:
    """Tells whether a product is of the rows of both factors, as that of queries and keys is.

    A view that PyTorch transposes is no value of its own: its shape is that of before.
    """
    side, settings = apart.side, settings_of(apart, product)
    factors = side.edges.parents[product]
    transposed = any(side.operation(each).kind is Kind.TRANSPOSE for each in factors)
    if transposed or any(settings.get(name) for name in _TRANSPOSING):
        return True
    shapes = [side.shape(each) or () for each in (factors[0], factors[-1])]
    return min(map(len, shapes)) > 1 and shapes[0][-1] == shapes[1][-1] != shapes[1][-2]


def is_last(apart: Apart, softmax: int) -> bool:
    """Tells whether a softmax goes along the last axis, as all do that are written out."""
    axis, shape = settings_of(apart, softmax).get(AXIS), apart.side.shape(softmax)
    return not isinstance(axis, int) or not shape or axis % len(shape) == len(shape) - 1
