"""Numbers that come in from outside: what the program passes in, and what is made of nothing else."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.warnings.study.descent import made_of
from tensordbg.analysis.warnings.study.study import Study


def comes_in(study: Study, port: int) -> bool:
    """Whether a tensor is made of no variable and not of itself, so that what it is over the steps was given to it."""
    marked = np.zeros(len(study.ports.site), dtype=np.bool_)
    marked[port] = True
    makers = (study.program.sites.get(number) for number in np.unique(study.ports.site[study.wiring.ancestors(marked)]))
    if any(site is not None and (site.reads or site.writes) for site in makers):
        return False
    return not made_of(study, [port])[port]
