"""Which units of a layer are zero for every input, where the elements of its output were kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints, KeptElements
from tensordbg.analysis.warnings.study.study import ENOUGH, Study

_LOOKS = 20

_MOST = 1 << 25
"""No more elements than these are read of one layer."""


@dataclass(frozen=True)
class DeadUnits:
    """The units along the last axis that were zero throughout."""

    dead: Ints
    units: int
    steps: int
    """In so many of the last steps."""


def dead_in_kept(study: Study, k: int) -> DeadUnits | None:
    """The units of series k that are zero in all kept tensors of its last steps; `None` where too few were kept."""
    if not isinstance(study.trace, KeptElements):
        return None
    size = int(study.series.size[study.series.rows(k)].max())
    looks = min(_LOOKS, _MOST // max(size, 1))
    if looks < ENOUGH:
        return None
    events = study.series.event[study.series.rows(k)][-looks:]
    kept = study.trace.take(events, ["value_position"]).column("value_position").is_valid().to_numpy()
    if len(kept) < ENOUGH or not kept.all():
        return None
    alive = np.zeros(0, dtype=np.bool_)
    for event in events.tolist():
        array = np.asarray(study.trace.value(event))
        if array.ndim < 2:
            return None
        here = (array != 0).reshape(-1, array.shape[-1]).any(axis=0)
        if alive.size and alive.size != here.size:
            return None
        alive = here if not alive.size else alive | here
    return DeadUnits(np.flatnonzero(~alive), alive.size, len(kept))
