"""Values of zeros and ones, such as labels that are one-hot and masks: as many ones in both runs, in other places."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.numbers import HIGH, LOW, SQUARES, SUM
from tensordbg.analysis.diff.whole_inputs import WholeInput, unlike_whole, whole_behind, whole_text


def unlike_marks(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """Tells of two operations that are given as many ones in other places, and of what those were made from."""
    rows = _marks(a, pair.a), _marks(b, pair.b)
    if rows[0] is None or rows[1] is None:
        return None
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    ones = int(b.side.numbers.statistics[rows[1], SUM])
    text = (
        f"{types[0]} of A and {types[1]} of B are given zeros and {ones:,} ones that lie in other places: labels that "
        "are one-hot, or a mask"
    )
    found = unlike_whole(_nearest(whole_behind(a, rows[0])), _nearest(whole_behind(b, rows[1])))
    if found is not None:
        where = whole_text(*found)
        text += f"; what they are made of is not the same{f': {where}' if where else ''}"
    return text, "compare what they are made of: labels counted from 0 or from 1, moved by one place, another axis"


def _nearest(found: list[WholeInput]) -> list[WholeInput]:
    """The first of each size."""
    by_size = {each.size: each for each in reversed(found)}
    return list(by_size.values())


def _marks(apart: Apart, row: int) -> int | None:
    """The value of zeros and ones alone that goes into an operation."""
    side = apart.side
    for each in side.edges.parents[row]:
        told, size = side.numbers.statistics[each], int(side.numbers.size[each])
        if size > 1 and (told[LOW], told[HIGH]) == (0, 1) and told[SUM] == told[SQUARES] < size:
            return each
    return None
