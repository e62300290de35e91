"""The elements of small tensors, which lie in their records where dimensions would lie that they lack.

They are written always (`keep_small` in `native/tensorflow/probe.h`), since that costs next to nothing, and looked at
only where a program has failed; sealing drops them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import UsageError
from tensordbg.health.spec import DTYPES
from tensordbg.trace.raw.record import MAX_DIMS
from tensordbg.trace.raw.values import numpy_dtype

Array = npt.NDArray[Any]

SMALL_RANK = 5
"""Tensors of more dimensions have no room; as `kSmallRank` in `native/record.h`, and so are the next two."""
SMALL_BYTES = (MAX_DIMS - SMALL_RANK - 1) * 4
SMALL_MARK = 0x6C616D73


def holds_elements(records: Array) -> npt.NDArray[np.bool_]:
    """For each record of a tensor whether its elements lie in it."""
    result: npt.NDArray[np.bool_] = (records["rank"] <= SMALL_RANK) & (records["dims"][:, SMALL_RANK] == SMALL_MARK)
    return result


def elements_in(record: Any) -> Array | None:
    """The elements in one record that holds them; None where NumPy lacks their dtype or the record is damaged."""
    number, rank, dims = int(record["dtype"]), int(record["rank"]), record["dims"]
    shape = tuple(int(dim) for dim in dims[:rank])
    try:
        dtype = numpy_dtype(DTYPES[number] if number < len(DTYPES) else "unknown")
    except UsageError:
        return None
    size = 1
    for dim in shape:
        size *= dim
    if size * dtype.itemsize > SMALL_BYTES:
        return None
    return np.frombuffer(dims[SMALL_RANK + 1 :].tobytes(), dtype, size).reshape(shape)


def elements_text(elements: Array) -> str:
    """`[2, 4, 14]`, a number alone without brackets."""
    return _text(elements.tolist())


def _text(part: object) -> str:
    if isinstance(part, list):
        return f"[{', '.join(map(_text, part))}]"
    return f"{part:.6g}" if isinstance(part, float) else str(part)
