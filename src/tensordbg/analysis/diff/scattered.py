"""Gradients of rows that were looked up: the rows in one run, in the other an array with a row for each entry.

TensorFlow's gradient of an embedding has the rows that the batch asked for, PyTorch's adds them up where they belong,
which a compiled kernel may do together with what comes before. Nothing more is made of either in a step by itself, but
each column has the same sum in both.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.agreement import Agreement
from tensordbg.analysis.diff.numbers import SQUARES, SUM
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.program.operations import operation_of
from tensordbg.operations.kinds import Kind

_MOST = 1e-4
"""Of rougher numbers all sums are near to each other, beside what they sum up."""
_FEW = 8
"""So many values with one sum are told apart by their shapes; more have cancelled out."""
_TELLING = 1e3
"""So many tolerances are left, beside what is summed up, of a sum that tells one value from another."""


def with_scattered(a: Side, b: Side, agreement: Agreement) -> Agreement:
    """Counts gradients of rows as equal to those of the arrays that the rows belong to, where their sums are."""
    if a.frameworks == b.frameworks or agreement.tolerance > _MOST:
        return agreement
    ends = _ends(a, agreement.label_a), _ends(b, agreement.label_b)
    found = [*_pairs((a, b), ends, agreement.tolerance)]
    found += [(row_a, row_b) for row_b, row_a in _pairs((b, a), ends[::-1], agreement.tolerance)]
    if not found:
        return agreement
    rows_a, rows_b = np.array(found, dtype=np.int64).T
    return agreement.joined(rows_a, rows_b)


def _ends(side: Side, label: Ints) -> Ints:
    """The gradients that the other run has not and that no others are made of."""
    ends: Ints = np.flatnonzero(
        side.backward & (label < 0) & (side.numbers.size > 1) & ~side.edges.has_child(side.backward)
    )
    return ends


def _pairs(sides: tuple[Side, Side], ends: tuple[Ints, Ints], tolerance: float) -> Iterator[tuple[int, int]]:
    """The only gradient of rows of one run that has the sum of one of an array of the other."""
    near = [*_near(sides, ends, tolerance)]
    tables, own = (_tables(side) if near else frozenset() for side in sides[::-1])
    for row, arrays in near:
        fitting = [each for each in arrays if sides[1].shape(each) in tables and _belongs(sides, row, each)]
        equal = [each for each in fitting if _distance(sides, (row, each), tolerance) <= tolerance]
        if sides[0].shape(row) in own:
            continue
        if len(equal) == 1:
            yield row, equal[0]
        elif not equal and _may_be(sides, row, fitting, tolerance):
            yield from ((row, each) for each in fitting)


def _near(sides: tuple[Side, Side], ends: tuple[Ints, Ints], tolerance: float) -> Iterator[tuple[int, list[int]]]:
    """For gradients of one run those of the other in the same step that have the same sum, if they are few."""
    mine, theirs = (side.numbers for side in sides)
    for step in np.intersect1d(mine.step[ends[0]], theirs.step[ends[1]]).tolist():
        rows, arrays = ends[0][mine.step[ends[0]] == step], ends[1][theirs.step[ends[1]] == step]
        arrays = arrays[np.argsort(theirs.statistics[arrays, SUM])]
        sums, told = theirs.statistics[arrays, SUM], mine.statistics[rows]
        room = tolerance * np.sqrt(told[:, SQUARES] * mine.size[rows])
        first, last = np.searchsorted(sums, told[:, SUM] - room), np.searchsorted(sums, told[:, SUM] + room, "right")
        for row, begin, end in zip(rows.tolist(), first.tolist(), last.tolist(), strict=True):
            if 0 < end - begin <= _FEW:
                yield row, arrays[begin:end].tolist()


def _tables(side: Side) -> frozenset[tuple[int, ...] | None]:
    """The shapes of the variables that a run reads."""
    rows = np.flatnonzero(side.of_sites(lambda site: operation_of(site).kind is Kind.READ))
    _, first = np.unique(side.numbers.site[rows], return_index=True)
    return frozenset(side.shape(row) for row in rows[first].tolist())


def _belongs(sides: tuple[Side, Side], row: int, array: int) -> bool:
    """Tells whether a value may be rows of an array."""
    shapes = sides[0].shape(row), sides[1].shape(array)
    return bool(shapes[0] and shapes[1]) and shapes[0] != shapes[1] and (shapes[0] or ())[-1] == (shapes[1] or ())[-1]


def _may_be(sides: tuple[Side, Side], row: int, arrays: list[int], tolerance: float) -> bool:
    """Tells whether a gradient of rows may be that of arrays, each of another table, as far as anything is known of it.

    What cancels out in every row, as behind a normalization, has no sum that tells anything, and so has what it is
    added to: that it has none says that it is not something else. What is told otherwise is left to `lookups.py`.
    """
    shapes = {sides[1].shape(each) for each in arrays}
    if len(shapes) < max(len(arrays), 1) or not shapes <= _looked_up(sides[0], row):
        return False
    both = [(sides[0], row), *((sides[1], each) for each in arrays)]
    kept = [side.details.elements(int(side.numbers.event[each])) for side, each in both]
    return any(each is None for each in kept) and all(_cancels_out(side, each, tolerance) for side, each in both)


def _looked_up(side: Side, row: int) -> set[tuple[int, ...] | None]:
    """The shapes of the tables of which a step looks up as much as a gradient has elements."""
    numbers = side.numbers
    alike = (numbers.size == numbers.size[row]) & (numbers.step == numbers.step[row]) & ~side.backward
    lookups = np.flatnonzero(alike & side.of_sites(lambda site: operation_of(site).kind is Kind.GATHER))
    return {side.shape(table) for each in lookups.tolist() for table in side.edges.parents[each]}


def _cancels_out(side: Side, row: int, tolerance: float) -> bool:
    told, size = side.numbers.statistics[row], side.numbers.size[row]
    return bool(abs(told[SUM]) <= tolerance * np.sqrt(told[SQUARES] * size) > 0)


def _distance(sides: tuple[Side, Side], rows: tuple[int, int], tolerance: float) -> float:
    """How far the sums of columns are apart, beside what they sum up; of large values that of all elements.

    What cancels out in every row, as behind a normalization, has no sum that tells anything: that is infinitely far.
    """
    both = [*zip(sides, rows, strict=True)]
    kept = [side.details.elements(int(side.numbers.event[row])) for side, row in both]
    told = [side.numbers.statistics[row] for side, row in both]
    if kept[0] is not None and kept[1] is not None:
        sums = [each.reshape(-1, each.shape[-1]).astype(np.float64).sum(axis=0) for each in kept if each is not None]
        length = float(np.sqrt(told[0][SQUARES]))
        return float(np.abs(sums[0] - sums[1]).max()) / length if length else np.inf
    length = float(np.sqrt(told[0][SQUARES] * sides[0].numbers.size[rows[0]]))
    tells = abs(told[0][SUM]) >= _TELLING * tolerance * length > 0
    return float(abs(told[0][SUM] - told[1][SUM]) / length) if tells else np.inf
