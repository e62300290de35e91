"""A value that one run has whole and the other in equal pieces, as a sequence and its places in time.

Where two runs have nothing else in common, as a layer of one framework and a loop of the other, it tells that they
compute of the same, and where they begin to.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.matching import distances
from tensordbg.analysis.diff.numbers import HIGH, LOW, Floats
from tensordbg.analysis.diff.side import Side

_NEAR = 1e-5
_MOST = 4096
"""No value is looked for in more pieces."""


def found_in_pieces(mine: Apart, whole: Apart) -> Iterator[tuple[int, int]]:
    """Finds the first piece of each value that one run has in pieces, and the value that the other has whole."""
    sizes = whole.side.numbers.size
    by_size: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero((sizes > 1) & ~whole.constant & ~whole.side.backward).tolist():
        by_size.setdefault((int(whole.side.numbers.step[row]), int(sizes[row])), []).append(row)
    for rows in _repeated(mine.side):
        size = int(mine.side.numbers.size[rows].sum())
        put_together = together(mine.side, rows)
        for row in by_size.get((int(mine.side.numbers.step[rows[0]]), size), ()):
            told = whole.side.numbers.statistics[[row]]
            if distances(put_together, told, np.array([size]))[0] <= _NEAR:
                yield rows[0], row
                break


def _repeated(side: Side) -> Iterator[list[int]]:
    """The values that one operation makes again and again in a step, as in a loop."""
    groups: dict[tuple[int, int, int, int], list[int]] = {}
    numbers = side.numbers
    for row in np.flatnonzero((numbers.size > 1) & ~side.backward).tolist():
        key = (int(numbers.site[row]), side.slot(row), int(numbers.step[row]), int(numbers.size[row]))
        groups.setdefault(key, []).append(row)
    return (rows for rows in groups.values() if 1 < len(rows) <= _MOST)


def together(side: Side, rows: list[int]) -> Floats:
    """Gives the statistics that some pieces have as a whole."""
    told = side.numbers.statistics[rows]
    result: Floats = told.sum(axis=0)
    result[LOW], result[HIGH] = told[:, LOW].min(), told[:, HIGH].max()
    return result.reshape(1, -1)
