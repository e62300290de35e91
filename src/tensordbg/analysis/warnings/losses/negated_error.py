"""Errors of which training is given the negative, so that it makes them larger: a wrong sign before the loss.

The loss itself falls then, as it should. That it is the negative of an error is seen by the numbers: in each step it is
a negative multiple of the mean of what it is made from, the squares of differences, say. What is to be maximised, as a
reward or a likelihood, is no error, and a loss that is weighted by each step's own reward is no multiple.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.losses import Loss
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.operations.kinds import Kind

_ERRORS = frozenset(
    {
        *(Kind.SQUARED_DIFFERENCE, Kind.HUBER_LOSS, Kind.SOFTMAX_LOSS),
        *(Kind.SPARSE_SOFTMAX_LOSS, Kind.SIGMOID_LOSS, Kind.LABEL_LOSS),
    }
)
"""They are 0 where all is as it should be, and larger the further it is from that."""

_OF_DIFFERENCES = frozenset({Kind.SQUARE, Kind.ABSOLUTE, Kind.POWER})
"""So are these of a difference."""

_SAME = 1e-3
"""By this part the multiple may differ from step to step."""


def negated_error(study: Study, loss: Loss) -> Loss | None:
    """The error that a loss is the negative of, None where it is of none."""
    if not (loss.values < 0).all():
        return None
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[study.port[loss.series]] = True
    behind = study.wiring.ancestors(marks) & study.forward
    for k in np.flatnonzero(behind[study.port] & (study.series.lengths == len(loss.values))).tolist():
        if is_error(study, k):
            means = study.series.means(k)
            if (means > 0).all() and is_multiple(loss.values, means):
                return Loss(k, means)
    return None


def is_multiple(values: Floats, means: Floats) -> bool:
    """Whether values are the same multiple of means in all steps."""
    ratio = values / means
    return bool(np.ptp(ratio) <= _SAME * abs(float(ratio[0])))


def is_error(study: Study, k: int) -> bool:
    """Whether a tensor holds errors: differences that are squared, or what a loss gives for each example."""
    if operation_of(study.site(k)).kind in _ERRORS:
        return not study.series.slot[k]
    return is_of_difference(study, k)


def is_of_difference(study: Study, k: int) -> bool:
    """Whether a tensor is the square, the magnitude or a power of a difference."""
    if operation_of(study.site(k)).kind not in _OF_DIFFERENCES:
        return False
    parents = study.wiring.parents(int(study.port[k]))
    given = (study.program.sites[int(study.ports.site[port])] for port in parents)
    return any(operation_of(site).kind is Kind.SUBTRACT for site in given)
