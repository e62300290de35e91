"""Says of two products or sums of equal values that one of these lies otherwise, or that two are exchanged."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.arrangement import takes_part
from tensordbg.analysis.diff.attributes import settings_of
from tensordbg.analysis.diff.operands import are_exchanged
from tensordbg.analysis.diff.wording import SUGGESTIONS, made_by
from tensordbg.operations.kinds import Kind

_TRANSPOSED = "transposed"
_OF_PADDING = "compare the padding: a transposed convolution that pads as SAME takes away more behind than in front"
_EXCHANGED = "exchange the two operands in B, or the two arguments of what computes them: a loss takes the target first"


def of_order(a: Apart, b: Apart, pair: Pair) -> tuple[str, str]:
    """Tells of two operations that take the same values and give unlike ones."""
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    if (joined := _joined_otherwise(a, b, pair)) is not None:
        return joined
    transposed = any(settings_of(each, row).get(_TRANSPOSED) is True for each, row in ((a, pair.a), (b, pair.b)))
    if are_exchanged(a, b, pair.a, pair.b) and not transposed:  # whose filter frameworks take first or last
        text = f"{types[1]} of B takes the two values that {types[0]} of A takes, and the other one first"
        return text, _EXCHANGED
    text = (
        f"what goes into {types[1]} of B has the same elements as what goes into {types[0]} of A, and the result "
        "is another: one of the inputs has its elements in another order"
    )
    if takes_part(a, pair.a) or takes_part(b, pair.b):
        text += ", or is another part of one value: the first or the last of a sequence, a half, a head"
    if transposed:
        return f"{text}, or zeros and the result lie otherwise (padding)", f"{_OF_PADDING}; {SUGGESTIONS['order']}"
    return text, SUGGESTIONS["order"]


def _joined_otherwise(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """Tells of values that go into both operations, joined in unlike orders."""
    found = [
        (mine, theirs) for mine in a.side.edges.parents[pair.a] for theirs in b.side.edges.parents[pair.b]
        if a.label[mine] == b.label[theirs] >= 0 and _join(a, mine) and _join(b, theirs)
        and are_exchanged(a, b, mine, theirs)
    ]  # fmt: skip
    if not found:
        return None
    mine, theirs = found[0]
    text = f"{made_by(b, theirs)} of B joins the values that {made_by(a, mine)} of A joins, in another order"
    return text, "join them in the same order: what comes first has the first channels of what is computed next"


def _join(apart: Apart, row: int) -> bool:
    return apart.side.operation(row).kind in (Kind.CONCATENATE, Kind.PACK)
