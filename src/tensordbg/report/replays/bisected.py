"""Texts of `tdbg replay --bisect` on the rows of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensordbg.capture.replayed import Bisected
from tensordbg.enumeration import first_few
from tensordbg.report.numbers import amount, count

_MOST = 10
"""So many rows are named."""


def bisected_lines(bisected: Bisected, origins: Sequence[str] = ()) -> Iterator[str]:
    """One sentence on the smallest part, then what must be known of it.

    Args:
        bisected: What was found.
        origins: Where each row came from, if that is known.
    """
    rows = count(bisected.rows)
    if not bisected.smallest:
        yield f"the batch of {rows} rows did not go wrong in the same way again, so no part of it is to blame"
        return
    if len(bisected.smallest) > 1:
        yield f"{_rows(bisected.smallest)} of {rows} go wrong together, and no fewer of them do"
    elif len(bisected.alone) == bisected.rows > 1:
        yield f"each of the {rows} rows goes wrong alone: look at the weights rather than at the data"
    elif len(bisected.alone) > 1:
        yield f"{_rows(bisected.alone)} of {rows} each go wrong alone"
    else:
        yield f"{_rows(bisected.smallest)} of {rows} goes wrong alone, and none of the others does"
    for row in (bisected.alone or bisected.smallest)[:_MOST] if len(origins) == bisected.rows else ():
        if origins[row]:
            yield f"row {count(row)} came from {origins[row]}"
    yield f"divided were {', '.join(bisected.inputs)}, in {amount(bisected.runs, 'run')}"
    if bisected.stand_ins:
        yield f"the step takes exactly {rows} rows, so those left out were replaced by others with which all goes well"
    elif bisected.refilled:
        yield (
            f"the step takes exactly {rows} rows, so those left out were replaced by those kept, over and over; what "
            "comes of adding up many rows may look as if it came of one"
        )


def _rows(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"row {count(numbers[0])}"
    return f"rows {first_few(list(map(count, numbers)), _MOST)}"
