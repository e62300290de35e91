"""What `tdbg replay --bisect` says of the rows of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensordbg.capture.replayed import Bisected
from tensordbg.report.numbers import amount, count


def bisected_lines(bisected: Bisected) -> Iterator[str]:
    """One sentence on the smallest part, then what must be known of it."""
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
    yield f"divided were {', '.join(bisected.inputs)}, in {amount(bisected.runs, 'run')}"
    if bisected.refilled:
        yield (
            f"the step takes exactly {rows} rows, so those left out were replaced by those kept, over and over; what "
            "comes of adding up many rows may look as if it came of one"
        )


def _rows(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"row {count(numbers[0])}"
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"rows {', '.join(map(count, numbers[:10]))}{more}"
