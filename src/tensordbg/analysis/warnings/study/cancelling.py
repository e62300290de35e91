"""Gradients that cancel by design: what rounding leaves of a sum that is zero.

A bias before a batch normalization is taken away again with the mean, and one of an attention's keys shifts all scores
alike: nothing depends on them, whatever they are. Their gradient is a sum over rows and positions of numbers that
cancel, and holds no more than their rounding.
"""

from __future__ import annotations

from tensordbg.analysis.warnings.study.descent import nearest
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.analysis.warnings.study.trends import root_mean_square

_ROUNDING = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float64": 2.0**-53}
"""By type; float32's is that of all others."""
_OF_ALL = 8.0
"""So many times the rounding of a sum whose terms all have one sign counts for rounding still."""


def is_rounding(study: Study, gradient: int) -> bool:
    """Whether a series of a gradient holds only what rounding leaves of the sum that it is."""
    series = study.series
    own, size = float(series.magnitude[series.rows(gradient)].max()), int(series.size[series.starts[gradient]])
    unit = _ROUNDING.get(study.words[0][gradient], 2.0**-24)
    for port in study.wiring.parents(int(study.port[gradient])):
        if not study.gradient[port]:
            continue
        for k in study.at.get(nearest(study, port), [])[:1]:
            terms, rest = divmod(int(series.size[series.starts[k]]), size)
            if terms > 1 and not rest:
                return own <= _OF_ALL * unit * terms * float(root_mean_square(study, series.rows(k)).max())
    return False
