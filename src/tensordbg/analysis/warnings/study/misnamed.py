"""Tensors that can't be what their operation gave, as an input of it has more elements.

TensorFlow makes `(a + c) - b` of `(a - b) + c` where a and c are constants, and leaves the names where they were: what
is recorded as `a - b`, a matrix, then is a number that never changes.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.series import Floats, Series
from tensordbg.analysis.warnings.study.wiring import Wiring
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait


def without_misnamed(series: Series, wiring: Wiring) -> Series:
    """Leaves out series that hold the values of other operations."""
    sites = wiring.program.sites.values()
    strict = np.zeros(len(wiring.ports.first), dtype=np.bool_)
    strict[[site.site for site in sites if operation_of(site).has(Trait.STRICT) and site.function != NONE]] = True
    port = wiring.ports.first[series.site] + series.slot
    fewest, most = _extents(series, port, len(wiring.ports.site))
    misnamed: Bools = strict[series.site]
    for k in np.flatnonzero(misnamed).tolist():
        given = wiring.parents(int(port[k]))
        misnamed[k] = any(0 < most[port[k]] < fewest[taken] < np.inf for taken in given)
    return series.chosen(~misnamed) if misnamed.any() else series


def _extents(series: Series, port: Ints, ports: int) -> tuple[Floats, Floats]:
    """The smallest and the largest number of elements that each port gave; infinite where none was measured."""
    fewest, most = np.full(ports, np.inf), np.full(ports, np.inf)
    measured = series.size != NONE
    row = np.repeat(port, series.lengths)[measured]
    size = (series.size / series.turns)[measured]
    most[row] = 0
    np.minimum.at(fewest, row, size)
    np.maximum.at(most, row, size)
    return fewest, most
