"""Numbers that a program read from a tensor and computes with, as `loss + penalty.item()` does.

Nothing leads from the one to the other: they are known by their values, which go up and down together.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import ENOUGH, Study
from tensordbg.model import NONE

_ROUNDING = 1e-6


def read_number(study: Study, ports: Collection[int], known: Collection[int]) -> int:
    """The series of a tensor made of what is trained whose number is added to a loss; `NONE` where it is none.

    Args:
        study: The trace.
        ports: What brings the numbers in: each number that differs may have a port of its own.
        known: Ports that are not meant, as the loss is made of them anyway.
    """
    several = [k for port in ports for k in study.at.get(port, [])]
    steps = np.concatenate([np.zeros(0, np.int64), *(study.series.step[study.series.rows(k)] for k in several)])
    numbers = np.concatenate([np.zeros(0), *(study.series.means(k) for k in several)])
    if len(np.unique(numbers)) < ENOUGH or len(np.unique(steps)) < len(steps):
        return NONE
    fitting = (k for k in study.losses if int(study.port[k]) not in known and _goes_with(study, k, steps, numbers))
    return next(fitting, NONE)


def _goes_with(study: Study, k: int, steps: Ints, numbers: Floats) -> bool:
    """Whether some numbers are, in each of their steps, so many times what a tensor held there."""
    own = study.series.step[study.series.rows(k)]
    if len(np.unique(own)) < len(own) or not np.isin(steps, own).all():
        return False
    values = study.series.means(k)[np.searchsorted(own, steps)]
    if not (np.isfinite(values) & (values != 0)).all():
        return False
    ratio = numbers / values
    return bool(ratio[0] != 0 and np.ptp(ratio) <= _ROUNDING * abs(ratio[0]))
