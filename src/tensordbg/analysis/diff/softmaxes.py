"""Softmaxes that part, of which one is part of a compiled kernel: what goes in is known of the other run alone."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.kernels import in_kernels
from tensordbg.analysis.diff.wording import SUGGESTIONS
from tensordbg.analysis.diff.written_out import composite_of
from tensordbg.analysis.program.operations import operation_of
from tensordbg.operations.kinds import Kind

_TELLING = frozenset(
    {Kind.ADD, Kind.SUBTRACT, Kind.MULTIPLY, Kind.DIVIDE, Kind.SELECT, Kind.MASKED_FILL, Kind.TANH, Kind.CLIP}
)
"""What is done to scores before a softmax."""


def unlike_softmaxes(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """Tells of two softmaxes by the elements that masks have made zero, else by what is computed before in a kernel."""
    if not all(_is_softmax(*each) for each in ((a, pair.a), (b, pair.b))):
        return None
    zeros_a, zeros_b = _zeros(a, pair.a), _zeros(b, pair.b)
    if zeros_a != zeros_b and a.side.numbers.size[pair.a] == b.side.numbers.size[pair.b]:
        size = int(a.side.numbers.size[pair.a])
        text = f"of the {size:,} results of the softmax {zeros_a:,} are 0 in A and {zeros_b:,} in B: another mask"
        return text, SUGGESTIONS["mask"]
    before = _before(a, pair.a), _before(b, pair.b)
    if not any(before):
        return None
    text = "the softmax of B gives other values than that of A, of what is made of equal ones"
    for run, names in zip("AB", before, strict=True):
        text += f"; in {run} that is computed inside a kernel: {names}" if names else ""
    return text, "compare what goes into the softmax: a scale, a bias, a mask, an axis"


def _is_softmax(apart: Apart, row: int) -> bool:
    found = composite_of(apart, row)
    return found is not None and found.kind is Kind.SOFTMAX and found.result == row


def _zeros(apart: Apart, row: int) -> int:
    (told,) = apart.side.details.columns(np.array([int(apart.side.numbers.event[row])]), ("zero",))
    return int(told["zero"] or 0)


def _before(apart: Apart, row: int) -> str:
    """The types of the operations that kernels compute on the way to a softmax, in their order."""
    found = composite_of(apart, row)
    computed = in_kernels(apart, row if found is None else found.rows[0])
    names = [site.op_type for site in computed if operation_of(site).kind in _TELLING]
    return ", ".join(reversed(list(dict.fromkeys(names))))
