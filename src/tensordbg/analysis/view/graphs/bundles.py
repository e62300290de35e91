"""Bundles the tensors that flow between the boxes and operations that are seen: one bundle from one to another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from tensordbg.analysis.view.graphs.boxes import BoxTree
from tensordbg.analysis.view.graphs.wires import Wire

OUTSIDE = ""
"""Stands for the border of a box, where tensors come in or leave."""

_Ends = tuple[str, str, str]
"""A box, and the two things directly in it that a bundle joins."""


@dataclass(frozen=True)
class Bundle:
    """All tensors from one thing to another that lie in one box."""

    box: str
    source: str
    """What they come from; `OUTSIDE` where they come in at the border of the box."""
    target: str
    tensors: tuple[tuple[str, int], ...]
    """Key of the operation and slot of each."""
    bad: bool
    """Whether one of them is not finite."""


def bundled(
    boxes: BoxTree, wires: Iterable[Wire], at: Mapping[str, str], bad: Collection[tuple[str, int]]
) -> tuple[Bundle, ...]:
    """The bundles.

    Args:
        boxes: All boxes of the graph.
        wires: All wires of the graph.
        at: What each operation is seen as: itself, or the closed box around it.
        bad: Tensors that are not finite, by key and slot.
    """
    ways: dict[tuple[str, str], tuple[_Ends, ...]] = {}
    found: dict[_Ends, dict[tuple[str, int], None]] = {}
    for wire in wires:
        ends = at[wire.source], at[wire.target]
        if ends[0] == ends[1]:
            continue
        if ends not in ways:
            ways[ends] = tuple(_way(boxes, *ends))
        for step in ways[ends]:
            found.setdefault(step, {})[wire.source, wire.slot] = None
    return tuple(
        Bundle(*step, tuple(tensors), any(tensor in bad for tensor in tensors)) for step, tensors in found.items()
    )


def _way(boxes: BoxTree, source: str, target: str) -> Iterator[_Ends]:
    """Out of the boxes around the source, and into those around the target, of which both may be one."""
    out, into = ([end, *boxes.around(end)] for end in (source, target))
    shared = next(box for box in out if box in set(into))
    leaving, entering = out[: out.index(shared) + 1], into[: into.index(shared) + 1]
    # The last step of each lies in the box that both have in common.
    for (inner, box), last in zip(pairwise(leaving), _last(leaving), strict=True):
        if not last or shared == target:
            yield box, inner, OUTSIDE
    for (inner, box), last in zip(pairwise(entering), _last(entering), strict=True):
        if not last or shared == source:
            yield box, OUTSIDE, inner
    if shared not in (source, target):
        yield shared, leaving[-2], entering[-2]


def _last(way: list[str]) -> list[bool]:
    return [False] * (len(way) - 2) + [True] * (len(way) > 1)
