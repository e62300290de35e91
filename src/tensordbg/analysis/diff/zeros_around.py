"""Zeros that a program puts around an image by an operation of its own, before a convolution or a pooling.

They and what that operation is told to put around are one padding: frameworks can say unlike numbers in front and
behind in one of the two ways only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.numbers import SUM
from tensordbg.analysis.diff.operands import written_operand
from tensordbg.analysis.diff.side import Side
from tensordbg.operations.kinds import Kind

_WALKED = 6
"""So many values that only hand on an image are walked back through."""
_HANDING_ON = frozenset({Kind.IDENTITY, Kind.TRANSPOSE, Kind.CAST, Kind.RESHAPE, Kind.EXPAND_DIMS, Kind.SQUEEZE})
_PADDED = frozenset({Kind.CONVOLUTION, Kind.AVERAGE_POOL, Kind.MAX_POOL})
_LAYOUT = "data_format"
FILLED = "value"
"""The setting that is the number which is put around."""
Zeros = list[list[int]]
"""For each axis of space the number in front and behind."""


def zeros_before(side: Side, row: int, axes: int) -> Zeros | None:
    """Tells the zeros that are put around the input of a convolution or pooling before it; `None` for none.

    Args:
        side: The run.
        row: What the convolution gives.
        axes: How many axes of space it has.
    """
    if side.operation(row).kind not in _PADDED:
        return None
    pad = next((each for each in _handed_on(side, row) if side.operation(each).kind is Kind.PAD), None)
    return None if pad is None or filled_in(side, pad) else _zeros_of(side, pad, row, axes)


def with_zeros(padding: object, zeros: Zeros | None) -> object:
    """Adds zeros that are put around before to a padding that is known as numbers; others stay as they are."""
    if zeros is None or not isinstance(padding, list) or len(padding) != len(zeros):
        return padding
    told = [each if isinstance(each, list) else [each, each] for each in padding]
    return [[front + more[0], behind + more[1]] for (front, behind), more in zip(told, zeros, strict=True)]


def _handed_on(side: Side, row: int) -> Iterable[int]:
    def back(each: int) -> Iterable[int]:
        return side.edges.parents[each] if each == row or side.operation(each).kind in _HANDING_ON else ()

    return reached(row, back, _WALKED)


def filled_in(side: Side, pad: int) -> float:
    """Tells the number that an operation puts around a value."""
    parents, size = side.edges.parents[pad], side.numbers.size
    single = [each for each in parents if size[each] == 1 < size[pad]]
    return float(side.numbers.statistics[single[0], SUM]) if single else 0.0


def padded_for(apart: Apart, pad: int) -> int:
    """Finds the convolution or pooling for which zeros are put around a value; for all else gives the padding."""
    side = apart.side
    if filled_in(side, pad):
        return pad

    def ahead(each: int) -> Iterable[int]:
        return side.edges.children[each] if each == pad or side.operation(each).kind in _HANDING_ON else ()

    return next((row for row in reached(pad, ahead, _WALKED) if side.operation(row).kind in _PADDED), pad)


def _zeros_of(side: Side, pad: int, row: int, axes: int) -> Zeros | None:
    """The numbers of the axes of space: one framework counts axes from the last on, another has a pair for each."""
    told = json.loads(side.site(pad).attributes).get("pad")
    if isinstance(told, list):
        pairs = [told[place : place + 2] for place in range(0, len(told), 2)][::-1]
        layouts = ["NC" + "S" * axes, "N" + "S" * axes + "C"]
    else:
        written = written_operand(side, pad, 1)
        pairs = written if isinstance(written, list) else []
        layouts = [str(json.loads(side.site(row).attributes).get(_LAYOUT))]
    layouts = [layout[-len(pairs) :] for layout in layouts] + [_without_first(layout) for layout in layouts]
    found = (_of_space(pairs, layout, axes) for layout in layouts)
    return next((zeros for zeros in found if zeros is not None), None)


def _without_first(layout: str) -> str:
    """The layout before an axis of space of size 1 was put in, as for a convolution along one axis."""
    place = next((at for at, axis in enumerate(layout) if axis not in "NC"), 0)
    return layout[:place] + layout[place + 1 :]


def _of_space(pairs: list[list[int]], layout: str, axes: int) -> Zeros | None:
    """The pairs of the axes of space, where nothing is put around along the others; `None` where something is."""
    if len(layout) != len(pairs):
        return None
    space = [pair for pair, axis in zip(pairs, layout, strict=True) if axis not in "NC"]
    others = [pair for pair, axis in zip(pairs, layout, strict=True) if axis in "NC"]
    return [[0, 0]] * (axes - len(space)) + space if not any(map(any, others)) else None
