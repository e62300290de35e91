"""Says of two products or sums of equal values that one of these lies otherwise, or that two are exchanged."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import settings_of
from tensordbg.analysis.diff.operands import are_exchanged
from tensordbg.analysis.diff.wording import SUGGESTIONS

_TRANSPOSED = "transposed"
_OF_PADDING = "compare the padding: a transposed convolution that pads as SAME takes away more behind than in front"
_EXCHANGED = "exchange the two operands in B, or the two arguments of what computes them: a loss takes the target first"


def of_order(a: Apart, b: Apart, pair: Pair) -> tuple[str, str]:
    """Tells of two operations that take the same values and give unlike ones."""
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    if are_exchanged(a, b, pair.a, pair.b):
        text = f"{types[1]} of B takes the two values that {types[0]} of A takes, and the other one first"
        return text, _EXCHANGED
    text = (
        f"what goes into {types[1]} of B has the same elements as what goes into {types[0]} of A, and the result "
        "is another: one of the inputs has its elements in another order"
    )
    if any(settings_of(each, row).get(_TRANSPOSED) is True for each, row in ((a, pair.a), (b, pair.b))):
        return f"{text}, or zeros and the result lie otherwise (padding)", f"{_OF_PADDING}; {SUGGESTIONS['order']}"
    return text, SUGGESTIONS["order"]
