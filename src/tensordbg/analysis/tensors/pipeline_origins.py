"""Where the element came from that a call of a pipeline's function was for, in a pipeline with origins.

The names run along with the element, in the same call of the function, so they are known for certain, whatever was
shuffled, worked on at once or repeated. Without origins nothing is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tensordbg.analysis.query import sql
from tensordbg.errors import TraceError
from tensordbg.model import BATCH_ORIGINS, ELEMENT_ORIGIN
from tensordbg.trace.raw.strings import DTYPE
from tensordbg.trace.raw.values import KeptTensor
from tensordbg.trace.reader import TraceReader

_AT_ONCE = 10_000

_NAMES = """
SELECT t.run, t.shape, t.value_position FROM tensors t JOIN sites s ON s.site = t.site
WHERE t.run IN ({runs}) AND (contains(s.name, '{element}') OR contains(s.name, '{batch}'))
  AND t.dtype = '{dtype}' AND t.value_position IS NOT NULL
"""


def origins_of_runs(reader: TraceReader, runs: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """The names of each run of a pipeline's function that has some: one, or one for each row of a batch."""
    wanted = sorted(set(runs) - {0})
    found: dict[int, tuple[str, ...]] = {}
    for begin in range(0, len(wanted), _AT_ONCE):
        listed = ", ".join(f"{run:d}" for run in wanted[begin : begin + _AT_ONCE])
        query = _NAMES.format(runs=listed, element=ELEMENT_ORIGIN, batch=BATCH_ORIGINS, dtype=DTYPE)
        for row in sql(reader, query).to_pylist():
            found[row["run"]] = _read(reader, row["shape"], row["value_position"])
    return {run: names for run, names in found.items() if names}


def _read(reader: TraceReader, shape: str, position: int) -> tuple[str, ...]:
    """The names; none where they can't be read, or were too long to be kept whole."""
    try:
        texts = reader.read_value(KeptTensor(position, DTYPE, tuple(json.loads(shape)), None)).tolist()
    except (TraceError, ValueError):
        return ()
    return () if None in texts else tuple(text.decode(errors="replace") for text in texts)
