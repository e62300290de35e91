"""Gradients of two frameworks that are hardly farther apart than what is equal: no difference by themselves.

A gradient is a sum of much that cancels out, so its rounding is beside less than that of the values before it, and the
frameworks sum up in unlike orders. A tolerance that is learned from all values is a little small for a few of them.
"""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair

_ROOM = 3.0
"""So many times the tolerance."""


def without_doubtful(a: Apart, b: Apart, pairs: list[Pair], tolerance: float) -> list[Pair]:
    """Leaves out pairs of gradients that rounding may have put apart."""
    if a.side.frameworks == b.side.frameworks:
        return pairs
    gradient_a, gradient_b = a.side.backward, b.side.backward
    return [
        pair for pair in pairs if pair.distance > _ROOM * tolerance or not (gradient_a[pair.a] and gradient_b[pair.b])
    ]
