"""Which call of a pipeline's function an event belongs to: there is one for each element.

Which element it was is known only of pipelines with origins: TensorFlow works on several at once, and begins with them
in any order.
"""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.query import sql
from tensordbg.analysis.tensors.pipeline_origins import origins_of_runs
from tensordbg.model import names_origins
from tensordbg.trace.reader import TraceReader

# What a function of a pipeline calls runs with it, at a path below the root.
_NUMBERS = """
SELECT run, row_number() OVER (PARTITION BY root ORDER BY run) - 1 AS number
FROM (SELECT t.run, coalesce(min(s.function) FILTER (t.path = 0), min(s.function)) AS root
      FROM tensors t JOIN sites s ON s.site = t.site WHERE t.run > 0 GROUP BY t.run)
"""


def with_calls(reader: TraceReader, points: tuple[ListedTensor, ...]) -> tuple[ListedTensor, ...]:
    """Adds to events of a pipeline's functions the number of the call, from 0, by what came first.

    In a pipeline with origins they also have the names of the element that the call was for.
    """
    if not any(point.run for point in points):
        return points
    columns = sql(reader, _NUMBERS).to_pydict()
    number = dict(zip(columns["run"], columns["number"], strict=True))
    names = origins_of_runs(reader, (point.run for point in points))
    told = [replace(point, call=number.get(point.run), came_from=names.get(point.run, ())) for point in points]
    # What holds the names shows them once.
    return tuple(replace(point, text="") if names_origins(point.op_name) else point for point in told)
