"""Tensors that are all zero, and the ReLUs among them: dead layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import made_of
from tensordbg.analysis.warnings.study.series import Series
from tensordbg.analysis.warnings.study.study import ENOUGH, Study
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

RELU = frozenset({Kind.RELU, Kind.RELU6})

_LONGER = 1.5
"""What was zero nearly as long before, and was not any more then, may be so again."""

_PART = 0.1
"""All zero in the last steps means at least this part of all steps, besides `ENOUGH`."""


@dataclass(frozen=True)
class Zeros:
    """Which tensors are all zero, and since when."""

    run: Ints
    """For each series how many of its last rows are all zero."""
    zero: Bools
    """For each series whether that is enough to speak of it."""

    def of(self, study: Study, port: int) -> bool:
        """Whether a port is all zero wherever it is computed."""
        series = study.at.get(port, [])
        return bool(series) and all(self.zero[k] for k in series)


def find_zeros(study: Study) -> Zeros:
    """Find the tensors that are all zero in the end, for some steps."""
    series = study.series
    zero = (series.zero == series.size) & (series.size > 0)
    run = series.run(zero)
    enough = (run >= ENOUGH) & (run >= _PART * series.lengths)
    return Zeros(run, enough & (run > _LONGER * _longest_before(series, zero, run)))


def _longest_before(series: Series, zero: Bools, run: Ints) -> Ints:
    """For each series the largest number of rows that were all zero one after the other, before the last ones."""
    rows = np.arange(len(zero))
    starts = np.repeat(series.starts[:-1], series.lengths)
    since = rows - np.maximum(np.maximum.accumulate(np.where(zero, NONE, rows)), starts - 1)
    last = rows >= np.repeat(series.starts[1:] - run, series.lengths)
    result: Ints = np.maximum.reduceat(np.where(last, 0, since), series.starts[:-1])
    return result


_TO_THE_LOSS = frozenset(
    {
        *(Kind.DIVIDE, Kind.DIVIDE_NO_NAN, Kind.MEAN, Kind.MULTIPLY, Kind.POWER, Kind.SQUARE, Kind.SUM),
        *(Kind.CAST, Kind.IDENTITY, Kind.RESHAPE),
    }
)
"""Operations that make a loss of what each example lacks."""


def dead_layers(study: Study, zeros: Zeros) -> list[int]:
    """The series of ReLUs that are all zero; of those behind one another the first."""
    dead = [
        k
        for k in np.flatnonzero(zeros.zero).tolist()
        if operation_of(study.site(k)).kind in RELU
        and study.learning[study.port[k]]
        and not _is_a_loss(study, zeros, int(study.port[k]))
    ]
    behind = made_of(study, [int(study.port[k]) for k in dead])
    return [k for k in dead if not behind[study.port[k]]]


def _is_a_loss(study: Study, zeros: Zeros, port: int) -> bool:
    """Whether a ReLU is what is left to learn, as in a hinge loss: it is summed up as it is, to zero."""
    open_ports, seen = [port], {port}
    while open_ports:
        for child in study.wiring.children(open_ports.pop()):
            site = study.wiring.site(child)
            if child in seen or site is None or study.gradient[child] or study.updating[child]:
                continue
            seen.add(child)
            if operation_of(site).kind not in _TO_THE_LOSS or (child in study.at and not zeros.of(study, child)):
                return False
            if not _is_scalar(study, child):
                open_ports.append(child)
    return len(seen) > 1


def _is_scalar(study: Study, port: int) -> bool:
    return any(study.words[1][k] == "[]" for k in study.at.get(port, []))
