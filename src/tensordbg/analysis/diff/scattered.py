"""Gradients of rows that were looked up: the rows in one run, in the other an array with a row for each entry.

TensorFlow's gradient of an embedding has the rows that the batch asked for, PyTorch's adds them up where they belong,
which a compiled kernel may do together with what comes before. Nothing more is made of either in a step by itself, but
the sums of the two are the same.
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


def with_scattered(a: Side, b: Side, agreement: Agreement) -> Agreement:
    """Counts gradients of rows as equal to those of the arrays that the rows belong to, where their sums are."""
    ends = _ends(a, agreement.label_a), _ends(b, agreement.label_b)
    found = [*_pairs((a, b), ends, agreement.tolerance)]
    found += [(row_a, row_b) for row_b, row_a in _pairs((b, a), ends[::-1], agreement.tolerance)]
    if not found:
        return agreement
    rows_a, rows_b = np.array(found, dtype=np.int64).T
    return agreement.joined(rows_a, rows_b)


def _ends(side: Side, label: Ints) -> list[int]:
    """The gradients that the other run has not and that no others are made of."""
    rows = np.flatnonzero(side.backward & (label < 0) & (side.numbers.size > 1)).tolist()
    return [row for row in rows if not any(side.backward[each] for each in side.edges.children[row])]


def _pairs(sides: tuple[Side, Side], ends: tuple[list[int], list[int]], tolerance: float) -> Iterator[tuple[int, int]]:
    """The only gradient of rows of one run that has the sum of one of an array of the other."""
    mine, theirs = sides
    tables, own = _tables(theirs), _tables(mine)
    arrays = [row for row in ends[1] if theirs.shape(row) in tables]
    for row in (each for each in ends[0] if mine.shape(each) not in own) if arrays else ():
        near = [each for each in arrays if _belongs(sides, row, each) and _distance(sides, row, each) <= tolerance]
        if len(near) == 1 and tolerance <= _MOST:
            yield row, near[0]


def _tables(side: Side) -> frozenset[tuple[int, ...] | None]:
    """The shapes of the variables that a run reads."""
    reads = side.of_sites(lambda site: operation_of(site).kind is Kind.READ)
    return frozenset(side.shape(row) for row in np.flatnonzero(reads).tolist())


def _belongs(sides: tuple[Side, Side], row: int, array: int) -> bool:
    """Tells whether a value may be rows of an array in the same step."""
    shapes = sides[0].shape(row), sides[1].shape(array)
    same_step = sides[0].numbers.step[row] == sides[1].numbers.step[array]
    return bool(same_step and shapes[0] and shapes[1] and shapes[0][-1] == shapes[1][-1] and shapes[0] != shapes[1])


def _distance(sides: tuple[Side, Side], row: int, array: int) -> float:
    """How far two sums are apart, beside what they sum up."""
    told = sides[0].numbers.statistics[row], sides[1].numbers.statistics[array]
    magnitudes = np.sqrt(told[0][SQUARES] * sides[0].numbers.size[row])
    return float(abs(told[0][SUM] - told[1][SUM]) / magnitudes) if magnitudes else np.inf
