"""The elements of the small tensors that a failed operation may have been given, for the end of the trace.

They lie in the last raw records. So nothing is done about them until a program has failed; which of them the operation
was given is found out by the reader, so those are taken along that come into question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.model import Site
from tensordbg.recording.failure import FailedOperation
from tensordbg.recording.log import made_by
from tensordbg.trace.raw.recent import copy_file
from tensordbg.trace.raw.record import EXECUTION_RECORD, RecordKind
from tensordbg.trace.raw.segments import segment_files
from tensordbg.trace.raw.small_elements import elements_in, elements_text, holds_elements, text_in

Array = npt.NDArray[Any]

_RECORDS = 1 << 18
"""So many of the last records are looked at."""
_LAST = 300
"""So many of the last small tensors are taken along, whatever made them."""
_OF_PLACE = 32
"""So many of each output of an operation, as pipelines run ahead."""
_MOST = 1600
_MOST_SITES = 200

Row = tuple[int, int, int, str]
"""When it was recorded, in nanoseconds since 1970, the site, the slot, and the elements as text."""


def small_values(
    folder: Path, segment_records: int, failed: FailedOperation, behind: Iterable[int], clock_offset_ns: int
) -> list[Row]:
    """The elements of small tensors, those last recorded first.

    Args:
        folder: Of the trace.
        segment_records: How many records a segment has.
        failed: What failed.
        behind: The sites that the failed operation was made from.
        clock_offset_ns: Of the trace.
    """
    files = segment_files(folder)
    parts = [copy_file(files[number], segment_records) for number in [*files][-max(1, _RECORDS // segment_records) :]]
    if not parts:
        return []
    records = np.concatenate(parts)
    records = records[records["sequence"] != 0]
    records = records[np.argsort(records["sequence"], kind="stable")]
    tensors = np.isin(records["kind"], (RecordKind.GRAPH_TENSOR, RecordKind.EAGER_TENSOR))
    small = np.flatnonzero(tensors & holds_elements(records))
    wanted = np.isin(records["site"][small], list(behind))
    eager = records["kind"][small] == RecordKind.EAGER_TENSOR
    wanted |= eager & np.isin(records["owner"][small], _makers_of_inputs(records, failed.execution))
    wanted[-_LAST:] = True
    return list(_rows(records[small[wanted]][::-1], clock_offset_ns))


def sites_behind(failed: FailedOperation, named: Iterable[Site], site: Callable[[int], Site]) -> set[int]:
    """The sites that a failed operation takes from, the nearest.

    Args:
        failed: What failed.
        named: The operations that may be meant.
        site: Gives the site with a number.
    """
    waiting = [each.site for each in named]
    waiting += [failed.site] if failed.site >= 0 else []
    found: set[int] = set()
    while waiting and len(found) < _MOST_SITES:
        for ref in site(waiting.pop(0)).inputs:
            if ref.site >= 0 and ref.site not in found:
                found.add(ref.site)
                waiting.append(ref.site)
    return found


def _makers_of_inputs(records: Array, execution: int) -> list[int]:
    """The executions that made what one was given."""
    begins = (RecordKind.EXECUTION_BEGIN, RecordKind.EXECUTION_INPUTS)
    own = records[np.isin(records["kind"], begins) & (records["owner"] == execution)].view(EXECUTION_RECORD)
    references = (int(number) for record in own for number in record["inputs"][: record["rank"]])
    return [made_by(reference)[0] for reference in references if reference >= 0]


def _rows(records: Array, clock_offset_ns: int) -> Iterator[Row]:
    seen: Counter[tuple[int, int]] = Counter()
    for record in records:
        place = (int(record["site"]), int(record["slot"]))
        seen[place] += 1
        text = _text(record) if seen[place] <= _OF_PLACE and seen.total() <= _MOST else None
        if text is not None:
            yield int(record["time_ns"]) + clock_offset_ns, *place, text


def _text(record: Any) -> str | None:
    elements = elements_in(record)
    return text_in(record) if elements is None else elements_text(elements)
