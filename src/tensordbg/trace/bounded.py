"""Reads what a query answers up to a size, so that an answer that is far too long fills no memory."""

from __future__ import annotations

import pyarrow as pa


def read_at_most(answer: pa.RecordBatchReader, most: int) -> pa.Table | None:
    """Reads all batches of an answer.

    Args:
        answer: The batches, which are computed as they are read.
        most: The bytes that they may take.

    Returns:
        One table of them all, or None where they take more.
    """
    kept, size = [], 0
    for batch in answer:
        size += batch.nbytes
        if size > most:
            return None
        kept.append(batch)
    return pa.Table.from_batches(kept, answer.schema)
