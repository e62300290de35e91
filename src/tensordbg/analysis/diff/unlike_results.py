"""Runs that go on from equal values in ways that have nothing in common, to results that differ.

No operation of the one corresponds to any of the other there, as where one framework has a whole sequence in one
product and another takes it step by step. That the results differ is certain; where, only by the values that both begin
with.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.wording import Explained

_FAR_AHEAD = 2000
"""So many values are looked at to find what becomes of one."""


def unlike_results(a: Apart, b: Apart) -> dict[Pair, Explained]:
    """Finds the first forks of one value from which both runs come to results of one size that differ."""
    return dict(islice(_met(a, b), 1))


def _met(a: Apart, b: Apart) -> Iterator[tuple[Pair, Explained]]:
    step_a, step_b = a.side.numbers.step, b.side.numbers.step
    by_label: dict[tuple[int, int], int] = {}
    for theirs in _forward(a):
        for label in a.taken_whole(theirs):
            by_label.setdefault((int(step_a[theirs]), label), theirs)
    for mine in _forward(b):
        keys = ((int(step_b[mine]), label) for label in sorted(b.taken_whole(mine)))
        for theirs in dict.fromkeys(by_label[key] for key in keys if key in by_label):
            sizes = {int(b.side.numbers.size[row]): row for row in _results(b, mine)}
            for row in _results(a, theirs):
                if int(a.side.numbers.size[row]) in sizes:
                    yield _unlike_from_here(a, b, (theirs, mine), (row, sizes[int(a.side.numbers.size[row])]))


def _forward(apart: Apart) -> list[int]:
    side = apart.side
    return [fork for fork in apart.regions.forks if not (side.kept[fork] or side.backward[fork])]


def _results(apart: Apart, fork: int) -> list[int]:
    """The results that are made of a fork in its step; single numbers are too little to go by."""
    side, step = apart.side, apart.side.numbers.step
    ahead = reached(fork, lambda row: (each for each in apart.followed(row) if step[each] == step[fork]), _FAR_AHEAD)
    return [
        row for row in ahead
        if side.numbers.size[row] > 1 and not (side.edges.children[row] or side.kept[row] or side.backward[row])
    ]  # fmt: skip


def _unlike_from_here(a: Apart, b: Apart, forks: tuple[int, int], results: tuple[int, int]) -> tuple[Pair, Explained]:
    names = [side.site(row).op_type for side, row in zip((a.side, b.side), results, strict=True)]
    text = (
        f"from here on the runs make values of equal ones that have nothing in common, and their results differ: what "
        f"{names[0]} gives in A and {names[1]} in B"
    )
    suggestion = "compare the layer from this line on: parameters and their order, gates, axes, what it begins with"
    return Pair(*forks, FAR), Explained("value", *forks, FAR, True, (), text, suggestion)
