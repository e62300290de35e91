"""Runs whose forks begin with unlike values, though the results of both are made of the same ones.

What one run adds on the way, as a penalty, may fork from another value than the result that it is added to.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.explaining import explain
from tensordbg.analysis.diff.first_difference import counterpart
from tensordbg.analysis.diff.further_results import ends_of
from tensordbg.analysis.diff.wording import Explained


def behind_forks(a: Apart, b: Apart) -> Iterator[tuple[Pair, Explained]]:
    """Pairs forks with what the other run makes of the same values behind its own, where no results agree."""
    if any(bool((ends_of(each) & (each.label >= 0)).any()) for each in (a, b)):
        return
    for fork_a in _forward(a, a.regions.forks):
        for row_b in _forward(b, sorted(b.regions.lasting)):
            yield from _paired(a, b, fork_a, row_b)
    for fork_b in _forward(b, b.regions.forks):
        for row_a in _forward(a, sorted(a.regions.lasting)):
            yield from _paired(a, b, row_a, fork_b)


def _forward(apart: Apart, rows: list[int] | tuple[int, ...]) -> list[int]:
    side = apart.side
    return [row for row in rows if apart.taken(row) and not (side.kept[row] or side.backward[row])]


def _paired(a: Apart, b: Apart, row_a: int, row_b: int) -> Iterator[tuple[Pair, Explained]]:
    same_step = a.side.numbers.step[row_a] == b.side.numbers.step[row_b]
    pair = counterpart(a, b, row_a, row_b) if same_step and a.taken(row_a) & b.taken(row_b) else None
    if pair is not None:
        yield pair, explain(a, b, pair)
