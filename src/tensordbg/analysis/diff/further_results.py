"""A number that is the result of one run and that the other goes on from: to another one, with more of the same values.

So it is where no gradients are taken, as of a loss that smooths its labels, or to which a penalty is added.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.apart import Apart, Both, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.label_smoothing import unlike_smoothing
from tensordbg.analysis.diff.wording import Explained, attributes_text, of_rows, settings_to_set, types_of
from tensordbg.operations.kinds import Kind

_MOST = 40
_FEW = 4
"""So many operations are named."""


def further_results(a: Apart, b: Apart) -> Iterator[tuple[Pair, Explained]]:
    """Pairs the only results of a step that are single numbers, of which the one is made of the other and of more."""
    theirs = _only_numbers(a, b)
    for step, mine in _only_numbers(b, a).items():
        if step not in theirs:
            continue
        for both, row, other in ((Both(b, a, turned=True), mine, theirs[step]), (Both(a, b), theirs[step], mine)):
            found = _made_besides(both.mine, row, int(both.other.label[other]))
            if found and both.mine.label[row] < 0:
                yield _in_words(a, b, both, (row, other), found)
                break


def _only_numbers(apart: Apart, other: Apart) -> dict[int, int]:
    """The result of each step that is a single number and no result of the other run, where there is one alone."""
    side, found = apart.side, dict[int, list[int]]()
    common = set(other.label[ends_of(other)].tolist())
    for row in np.flatnonzero(ends_of(apart) & (side.numbers.size == 1)).tolist():
        if not side.slot(row) and (apart.label[row] < 0 or int(apart.label[row]) not in common):
            found.setdefault(int(side.numbers.step[row]), []).append(row)
    return {step: rows[0] for step, rows in found.items() if len(rows) == 1}


def _made_besides(apart: Apart, row: int, label: int) -> tuple[int, ...]:
    """What only this run makes on the way from one value that both have, and from others, to a result; else ()."""
    rows = [each for each in reached(row, apart.unknown_parents, _MOST) if apart.side.edges.parents[each]]
    taken = frozenset().union(*(apart.taken(each) for each in rows))
    whole = frozenset().union(*(apart.taken_whole(each) for each in rows))
    return tuple(reversed(rows)) if label >= 0 and label in taken and whole else ()


def _in_words(
    a: Apart, b: Apart, both: Both, rows: tuple[int, int], found: tuple[int, ...]
) -> tuple[Pair, Explained]:  # fmt: skip
    pair = both.pair(*rows)
    difference = unlike_smoothing(a, b, pair)
    if difference:
        text = f"the results are made of equal values, with unlike labels: {attributes_text(difference)}"
        return pair, Explained(
            "value", pair.a, pair.b, pair.distance, True, difference, text, settings_to_set(difference)
        )
    run, other = "BA" if both.turned else "AB"
    names = first_types(both.mine, without_casts(both.mine, found))
    text = f"the result of {other} is one that {run} goes on from: with {names} of values that both runs have"
    suggestion = f"compute the same in {other}, or leave it out in {run}: a penalty, weights, label smoothing"
    return pair, of_rows(pair, "missing", text, suggestion)


def without_casts(apart: Apart, rows: tuple[int, ...]) -> tuple[int, ...]:
    """Leaves out the values that are others of another dtype."""
    return tuple(each for each in rows if apart.side.operation(each).kind is not Kind.CAST)


def first_types(apart: Apart, rows: tuple[int, ...]) -> str:
    """The types of the operations of some values, the first few."""
    listed = types_of(apart, rows).split(", ")
    return ", ".join(listed[:_FEW]) + (" ..." if len(listed) > _FEW else "")


def ends_of(apart: Apart) -> Bools:
    """Marks what a forward pass makes and nothing goes on from.

    A batch that a pipeline hands out is none where the program computes anything: what takes it is not known.
    """
    side = apart.side
    everything = np.ones(len(side.numbers), dtype=np.bool_)
    result: Bools = (
        side.edges.made
        & ~side.edges.has_child(everything)
        & ~(side.kept | side.backward | side.drawn_in_vain(apart.label >= 0) | apart.constant)
    )
    computed: Bools = result & ~side.in_pipelines
    return computed if computed.any() else result
