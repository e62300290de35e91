"""The tolerance by a twin of the reference, which computes the same but for rounding.

It may be the reference in float64, or begun from parameters that are one unit in the last place away. How far such a
twin is apart is what rounding does to this program; what is farther apart has another cause.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.agreement import find_agreement
from tensordbg.analysis.diff.anchors import find_anchors
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.diff.steps import align
from tensordbg.errors import UsageError

_ROOM = 10.0
"""So many times what nine of ten values of the twin are apart is the tolerance."""
_LEAST, _MOST = 2.0**-48, 0.1


def tolerance_by_twin(reference: Side, twin: Side) -> float:
    """Learns the tolerance of the first step; that of later ones grows by the drift of the runs that are compared.

    Raises:
        UsageError: If the twin has nothing in common with the reference.
    """
    aligned = align(reference, twin, find_agreement(reference, twin, None, find_anchors(reference, twin, ())))
    distance = aligned.distance[aligned.step == aligned.step.min(initial=np.iinfo(np.int64).max)]
    if not len(distance):
        raise UsageError(
            "the twin has no value in common with A; record A's own program again, in float64 or perturbed"
        )
    return float(np.clip(_ROOM * np.quantile(distance, 0.9), _LEAST, _MOST))
