"""Sketches of tensors, which lie in their records where dimensions would lie that they lack, where they were asked for.

A sketch is the sum of the magnitudes and four sums with signs by place: of a permutation of a tensor only they tell.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.trace.raw.record import MAX_DIMS
from tensordbg.trace.raw.small_elements import holds_elements

Array = npt.NDArray[Any]

SKETCH_RANK = 11
"""Tensors of more dimensions have no room; as `kSketchRank` in `native/record.h`, and so is the next."""
SKETCH_MARK = 0x74656B73
_FIELDS = (MAX_DIMS - SKETCH_RANK - 1) // 2


def holds_sketch(records: Array) -> npt.NDArray[np.bool_]:
    """For each record of a tensor whether its sketch lies in it."""
    marked = (records["rank"] <= SKETCH_RANK) & (records["dims"][:, SKETCH_RANK] == SKETCH_MARK)
    result: npt.NDArray[np.bool_] = marked & ~holds_elements(records)
    return result


def sketches_in(dims: Array) -> npt.NDArray[np.float64]:
    """The sketches in the dimensions of records that hold one: the sum of the magnitudes, and the four sums."""
    fields = np.ascontiguousarray(dims[:, SKETCH_RANK + 1 :])
    result: npt.NDArray[np.float64] = fields.view("<f8").reshape(len(dims), _FIELDS)
    return result
