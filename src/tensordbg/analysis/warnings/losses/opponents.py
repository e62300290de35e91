"""Losses that work against one another on the same variables: an error that one of them makes larger is meant to grow.

So it is with the generator of a game that is given the negative of the judge's error, with an encoder that is to hide
from a classifier what it tells apart, and with a model that is to forget what it had been taught.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.warnings.study.losses import Loss
from tensordbg.analysis.warnings.study.study import Study


def has_opponent(study: Study, loss: Loss) -> bool:
    """Whether another number, which is not below zero, is differentiated and made of the same trained variables."""
    variables = _variables(study, int(study.port[loss.series]))
    others = [port for port in np.flatnonzero(study.differentiated).tolist() if _is_positive(study, port)]
    return any(not variables.isdisjoint(_variables(study, port)) for port in others)


def _is_positive(study: Study, port: int) -> bool:
    rows = [study.series.rows(k) for k in study.at.get(port, [])]
    return bool(rows) and all(bool((study.series.low[each] >= 0).all()) for each in rows)


def _variables(study: Study, port: int) -> set[int]:
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[port] = True
    behind = study.wiring.ancestors(marks) & study.trained_reads
    return {study.variable_of[each] for each in np.flatnonzero(behind).tolist()}
