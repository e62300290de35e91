"""Runs that go on from equal values in ways that have nothing in common, to results that differ.

No operation of the one corresponds to any of the other there, as where one framework has a whole sequence in one
product and another takes it step by step. That the results differ is certain; where, only by the values that both begin
with, or by a value that both multiply by, such as a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair, distance_of
from tensordbg.analysis.diff.behind_forks import behind_forks
from tensordbg.analysis.diff.doubtful import is_made_of_rounding
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.explaining import normalized
from tensordbg.analysis.diff.further_results import ends_of, further_results
from tensordbg.analysis.diff.gone_on_from import gone_on_from
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.pieces import found_in_pieces
from tensordbg.analysis.diff.wording import Explained
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_FAR_AHEAD = 2000
"""So many values are looked at to find what becomes of one."""

_FORKS = 8
"""So many forks of each run are looked at for a normalization."""

_SOON = 8
"""So many values from one on are looked at for what is computed of it."""


def unlike_results(a: Apart, b: Apart, tolerance: float) -> dict[Pair, Explained]:
    """Finds the first forks of one value from which both runs come to results that differ."""
    found = chain(
        _met(a, b),
        _multiplied_alike(a, b),
        _in_pieces(a, b),
        further_results(a, b),
        behind_forks(a, b),
        gone_on_from(a, b, tolerance),
    )
    return dict(islice(((pair, said) for pair, said in found if not is_made_of_rounding(a, b, pair)), 1))


def unlike_normalizations_behind(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of normalizations with unlike settings that begin with the values that two forks begin with."""
    met = a.taken_whole(pair.a) & b.taken_whole(pair.b)
    forks_a, forks_b = ([row for row in _forward(each) if each.taken_whole(row) & met][:_FORKS] for each in (a, b))
    pairs = (Pair(row_a, row_b, FAR) for row_a in forks_a for row_b in forks_b)
    return next((told for told in (normalized(a, b, each) for each in pairs) if told is not None), None)


def _met(a: Apart, b: Apart) -> Iterator[tuple[Pair, Explained]]:
    step_a, step_b = a.side.numbers.step, b.side.numbers.step
    least = 2 if _any_agrees(a) or _any_agrees(b) else 1
    by_label: dict[tuple[int, int], int] = {}
    for theirs in _forward(a):
        for label in a.taken_whole(theirs):
            by_label.setdefault((int(step_a[theirs]), label), theirs)
    for mine in _forward(b):
        keys = ((int(step_b[mine]), label) for label in sorted(b.taken_whole(mine)))
        for theirs in dict.fromkeys(by_label[key] for key in keys if key in by_label):
            sizes = {int(b.side.numbers.size[row]): row for row in _results(b, mine, least)}
            for row in _results(a, theirs, least):
                if int(a.side.numbers.size[row]) in sizes:
                    yield _unlike_from_here(a, b, (theirs, mine), (row, sizes[int(a.side.numbers.size[row])]))


def _multiplied_alike(a: Apart, b: Apart) -> Iterator[tuple[Pair, Explained]]:
    """Products with one value, such as a parameter, that differ for good: the only ones of their size in a step."""
    theirs = _products(a)
    for key, mine in _products(b).items():
        if len(mine) == len(theirs.get(key, ())) == 1:
            yield _unlike_products(a, b, (theirs[key][0], mine[0]))


def _in_pieces(a: Apart, b: Apart) -> Iterator[tuple[Pair, Explained]]:
    """What the runs make of a value that one has whole and the other in pieces, where they have no result in common."""
    if _any_agrees(a) or _any_agrees(b):
        return
    results = _results_of_one_size(a, b)
    if results is None:
        return
    for turned, (mine, whole) in enumerate(((a, b), (b, a))):
        for piece, row in found_in_pieces(mine, whole):
            begins = _made_of(mine, piece), _made_of(whole, row)
            yield _unlike_from_here(a, b, begins[::-1] if turned else begins, results)


def _results_of_one_size(a: Apart, b: Apart) -> tuple[int, int] | None:
    """The last result of either run, and the last value of its size that the other computes."""
    found: list[tuple[int, int]] = []
    for turned, (mine, other) in enumerate(((a, b), (b, a))):
        last = {int(other.side.numbers.size[row]): row for row in sorted(other.regions.lasting)
                if other.side.edges.made[row] and not (other.side.kept[row] or other.side.backward[row])}  # fmt: skip
        for row in np.flatnonzero(ends_of(mine)).tolist():
            size = int(mine.side.numbers.size[row])
            if size > 1 and size in last:
                found.append((last[size], row) if turned else (row, last[size]))
    return max(found, key=sum, default=None)


def _made_of(apart: Apart, row: int) -> int:
    """The first value that is computed of another, which may have been handed on before."""
    for each in reached(row, apart.followed, _SOON):
        operation = apart.side.operation(each)
        if each != row and not operation.has(Trait.REARRANGES) and operation.kind is not Kind.CAST:
            return each
    return row


def _products(apart: Apart) -> dict[tuple[int, int, int], list[int]]:
    """The products of a forward pass that differ for good, by step, size and the label of what both multiply by."""
    side, found = apart.side, dict[tuple[int, int, int], list[int]]()
    for row in sorted(apart.regions.lasting):
        if side.kept[row] or side.backward[row] or not side.operation(row).has(Trait.CONTRACTS):
            continue
        for parent in side.edges.parents[row]:
            if apart.label[parent] >= 0 and side.numbers.size[parent] > 1:
                key = int(side.numbers.step[row]), int(side.numbers.size[row]), int(apart.label[parent])
                found.setdefault(key, []).append(row)
    return found


def _unlike_products(a: Apart, b: Apart, rows: tuple[int, int]) -> tuple[Pair, Explained]:
    names = a.side.site(rows[0]).op_type, b.side.site(rows[1]).op_type
    text = f"{names[0]} of A and {names[1]} of B multiply by the same values, and what they multiply is not the same"
    suggestion = (
        "compare what goes into this layer: which output of the one before, which place in time, what is between"
    )
    distance = distance_of(a, b, *rows)
    return Pair(*rows, distance), Explained("value", *rows, distance, False, (), text, suggestion)


def _forward(apart: Apart) -> list[int]:
    side = apart.side
    return [fork for fork in apart.regions.forks if not (side.kept[fork] or side.backward[fork])]


def have_results_in_common(a: Apart, b: Apart) -> bool:
    """Tells whether a result of one run is in the other as well, or one has none: else nothing says that they agree."""
    return _any_agrees(a) or _any_agrees(b) or not (ends_of(a).any() and ends_of(b).any())


def _any_agrees(apart: Apart) -> bool:
    """Whether a result is one of the other run too; then a single number that is not is too little to go by."""
    return bool((ends_of(apart) & (apart.label >= 0)).any())


def _results(apart: Apart, fork: int, least: int) -> list[int]:
    """The results with so many elements that are made of a fork in its step."""
    side, step = apart.side, apart.side.numbers.step
    ahead = reached(fork, lambda row: (each for each in apart.followed(row) if step[each] == step[fork]), _FAR_AHEAD)
    return [
        row for row in ahead
        if side.numbers.size[row] >= least and not (side.edges.children[row] or side.kept[row] or side.backward[row])
    ]  # fmt: skip


def _unlike_from_here(a: Apart, b: Apart, forks: tuple[int, int], results: tuple[int, int]) -> tuple[Pair, Explained]:
    names = [side.site(row).op_type for side, row in zip((a.side, b.side), results, strict=True)]
    text = (
        f"from here on the runs make values of equal ones that have nothing in common, and their results differ: what "
        f"{names[0]} gives in A and {names[1]} in B"
    )
    suggestion = "compare the layer from this line on: parameters and their order, gates, axes, what it begins with"
    return Pair(*forks, FAR), Explained("value", *forks, FAR, True, (), text, suggestion)
