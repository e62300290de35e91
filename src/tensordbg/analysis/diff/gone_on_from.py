"""Results of one run from which the other goes on to results of its own: a mean of a sum, a softmax of scores.

Every value that the one has is in the other as well, and nothing differs on the way: the runs part behind the end of
the one. So it is where no gradients are taken, or behind a training, as these would tell it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.apart import Apart, Both, Pair
from tensordbg.analysis.diff.ends import by_products
from tensordbg.analysis.diff.further_results import ends_of, first_types, without_casts
from tensordbg.analysis.diff.matching import distances
from tensordbg.analysis.diff.numbers import HIGH, LOW
from tensordbg.analysis.diff.wording import Explained, of_rows
from tensordbg.operations.kinds import Kind

_LOOKED_AT = 8
"""So many results of a run are looked at, the last ones."""
_SEVERAL = 2
_NEAR = 1e-4


@dataclass(frozen=True)
class _Results:
    """What a run ends with, by rows."""

    all: tuple[int, ...]
    own: tuple[int, ...]
    """Those that the other run does not end with."""


def gone_on_from(a: Apart, b: Apart, tolerance: float) -> Iterator[tuple[Pair, Explained]]:
    """Pairs a result of one run, which the other has on its way, with what that comes to instead."""
    if bool(a.side.updates.any()) != bool(b.side.updates.any()):
        return  # a training beside what is served of it
    ends = _ends(a), _ends(b)
    of_a, of_b = (a, _taken_apart((a, ends[0]), (b, ends[1]))), (b, _taken_apart((b, ends[1]), (a, ends[0])))
    results = _results(of_a, of_b, tolerance), _results(of_b, of_a, tolerance)
    for both, mine, other in (
        (Both(b, a, turned=True), results[1], results[0]),
        (Both(a, b), results[0], results[1]),
    ):
        for row in other.own[-_LOOKED_AT:] if mine.own and both.other.side.to_the_end else ():
            yield from _behind(both, row, mine, other)


def _ends(apart: Apart) -> list[int]:
    """The results of a run behind its last gradients."""
    side = apart.side
    trained = int(np.flatnonzero(side.backward | side.updates).max(initial=-1))
    return [row for row in np.flatnonzero(ends_of(apart) & ~by_products(side)).tolist() if row > trained]


def _taken_apart(run: tuple[Apart, list[int]], other: tuple[Apart, list[int]]) -> list[int]:
    """The results of a run, and of those that are values of the other run put together these: so is Keras's `predict`.

    Args:
        run: The run, and what it ends with.
        other: The same of the other run.
    """
    (mine, rows), (theirs, ends) = run, other
    sizes = {int(theirs.side.numbers.size[each]) for each in ends}
    found: dict[int, None] = {}
    for row in rows:
        parts = mine.side.edges.parents[row]
        labels = {int(mine.label[each]) for each in parts}
        joins = mine.side.operation(row).kind is Kind.CONCATENATE and len(labels) == len(parts) >= _SEVERAL
        alone_there = joins and min(labels) >= 0 and int(mine.side.numbers.size[row]) not in sizes
        found |= dict.fromkeys(parts if alone_there else [row])
    return [*found]


def _results(run: tuple[Apart, list[int]], other: tuple[Apart, list[int]], tolerance: float) -> _Results:
    (mine, rows), (theirs, ends) = run, other
    labels = {int(theirs.label[row]) for row in ends}
    own = (row for row in rows if mine.label[row] < 0 or int(mine.label[row]) not in labels)
    return _Results(tuple(rows), tuple(row for row in own if not _is_among(mine, row, theirs, ends, tolerance)))


def _is_among(mine: Apart, row: int, theirs: Apart, ends: list[int], tolerance: float) -> bool:
    """Tells whether a value is near one of those with which the other run ends: one run may compute it twice."""
    size, of_size = mine.side.numbers.size, theirs.side.numbers.size
    rows = [each for each in ends if of_size[each] == size[row]]
    if not rows:
        return False
    there = theirs.side.numbers.statistics[rows]
    here = np.repeat(mine.side.numbers.statistics[[row]], len(rows), axis=0)
    return bool((distances(here, there, of_size[rows]) <= tolerance).any())


def _behind(both: Both, other: int, mine: _Results, theirs: _Results) -> Iterator[tuple[Pair, Explained]]:
    """Pairs a result of the run that does less with the first one that the other makes of it, if any."""
    label = int(both.other.label[other])
    starts = (both.mine.label == label) & (label >= 0)
    if not starts.any() or not _have_one_origin(both, other, int(np.flatnonzero(starts)[0])):
        return
    ahead = both.mine.side.edges.spread(starts)
    for row in mine.own:
        if ahead[row] and _counts(both, (row, other), mine, theirs) and not _gathers(both, row, other, theirs):
            yield _in_words(both, row, other, _between(both.mine, starts, row))
            return


def _have_one_origin(both: Both, other: int, row: int) -> bool:
    """Tells whether two values are made of a value that both runs have: a single number may be equal by chance."""
    if both.other.side.numbers.size[other] > 1:
        return True
    return bool(_origins(both.other, other) & _origins(both.mine, row))


def _origins(apart: Apart, row: int) -> frozenset[int]:
    """The labels of all values of more than one element that a value is made of."""
    before = apart.side.edges.spread_back(_marked(apart, row)) & (apart.label >= 0) & (apart.side.numbers.size > 1)
    return frozenset(apart.label[before].tolist())


def _marked(apart: Apart, row: int) -> Bools:
    marks = np.zeros(len(apart.side.numbers), dtype=np.bool_)
    marks[row] = True
    return marks


def _counts(both: Both, rows: tuple[int, int], mine: _Results, theirs: _Results) -> bool:
    """Tells whether a result differs, and no figure is taken beside those that agree: these come to a single number."""
    if both.mine.side.numbers.size[rows[0]] > 1 or len(mine.own) == len(mine.all):
        return True
    return rows == (max(mine.all), max(theirs.all))


def _gathers(both: Both, row: int, other: int, theirs: _Results) -> bool:
    """Tells whether one run puts together what the other leaves one by one, as the losses of several batches."""
    side = both.other.side
    if side.numbers.size[other] > 1:
        return False
    alike = [each for each in theirs.own if side.numbers.site[each] == side.numbers.site[other]]
    labels = {int(both.other.label[each]) for each in alike if both.other.label[each] >= 0}
    before = both.mine.side.edges.spread_back(_marked(both.mine, row))
    return len(labels & set(both.mine.label[before].tolist())) >= _SEVERAL


def _between(apart: Apart, starts: Bools, row: int) -> tuple[int, ...]:
    """What a run makes on the way from some values to one, which comes last."""
    edges = apart.side.edges
    on_the_way = edges.spread(starts) & edges.spread_back(_marked(apart, row)) & ~starts
    return tuple(np.flatnonzero(on_the_way).tolist())


def _in_words(both: Both, row: int, other: int, found: tuple[int, ...]) -> tuple[Pair, Explained]:
    run, rest = "AB" if not both.turned else "BA"
    pair = both.pair(row, other, extra=found)
    names = first_types(both.mine, without_casts(both.mine, found) or found)
    text = f"the result of {rest} is one that {run} goes on from, with {names}{_ratio(both, row, other)}"
    suggestion = (
        f"compute the same in {rest}, or leave it out in {run}: a mean of a sum, a factor, a part, an activation; "
        "record with both what you mean to compare"
    )
    return pair, of_rows(pair, "missing", text, suggestion)


def _ratio(both: Both, row: int, other: int) -> str:
    """Tells by which number a result is a multiple of the other; empty where it is none."""
    ends = [(each.side.numbers.statistics[at][[LOW, HIGH]], int(each.side.numbers.size[at]))
            for each, at in ((both.mine, row), (both.other, other))]  # fmt: skip
    (mine, size), (theirs, of_size) = ends
    if size != of_size or not theirs.all():
        return ""
    ratio = mine / theirs
    if abs(ratio[0] - ratio[1]) > _NEAR * abs(ratio[0]):
        return ""
    return f": it comes to {float(f'{ratio[0]:.5g}'):g} times that"
