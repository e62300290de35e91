"""Shapes as a column of words such as `[100, 10]`: each is spelled out once, however many events have it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tensordbg.trace.raw.record import MAX_DIMS

Array = npt.NDArray[Any]

UNKNOWN_RANK = 255
"""The rank of a record that holds no shape."""

# Odd numbers without a pattern: a row of dimensions times these, added up, tells rows apart.
_FACTORS = np.random.default_rng(20_25).integers(1, 2**63, MAX_DIMS + 1, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def shape_column(rank: Array, dims: Array) -> pa.DictionaryArray:
    """The column of shapes, null where the rank is unknown.

    Args:
        rank: Of each event.
        dims: Of each event, `MAX_DIMS` of them; what lies behind the rank is not looked at.
    """
    unknown = rank == UNKNOWN_RANK
    used = np.where(unknown, 0, np.minimum(rank, MAX_DIMS))
    width = int(used.max(initial=0))
    rows = np.zeros((len(used), width + 1), dtype=np.uint32)
    rows[:, 0] = used
    np.copyto(rows[:, 1:], dims[:, :width], where=np.arange(width) < used[:, None])
    first, inverse = _different(rows)
    words = [str(row[1 : row[0] + 1]) for row in rows[first].tolist()]
    return pa.DictionaryArray.from_arrays(
        pa.array(inverse.astype(np.int32), mask=unknown), pa.array(words, pa.string())
    )


def _different(rows: Array) -> tuple[Array, Array]:
    """One row number of each different row, and for each row which of those it equals."""
    key = (rows * _FACTORS[: rows.shape[1]]).sum(axis=1, dtype=np.uint64)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    if np.array_equal(rows[first[inverse]], rows):
        return first, inverse
    # Two different rows with one key are all but impossible; then it is done the slow way.
    _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, inverse.reshape(-1)
