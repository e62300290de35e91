"""Tensors that are all zero, and the ReLUs among them: dead layers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.reading import Bools, Ints
from tensordbg.analysis.warnings.descent import made_of
from tensordbg.analysis.warnings.study import ENOUGH, Study

RELU = frozenset({"Relu", "Relu6"})

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
    run = series.run((series.zero == series.size) & (series.size > 0))
    return Zeros(run, (run >= ENOUGH) & (run >= _PART * series.lengths))


def dead_layers(study: Study, zeros: Zeros) -> list[int]:
    """The series of ReLUs that are all zero; of those behind one another the first."""
    dead = [
        k
        for k in np.flatnonzero(zeros.zero).tolist()
        if study.site(k).op_type in RELU and study.learning[study.port[k]]
    ]
    behind = made_of(study, [int(study.port[k]) for k in dead])
    return [k for k in dead if not behind[study.port[k]]]
