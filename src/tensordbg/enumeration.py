"""Lists in sentences: the first few of many words and how many more there are, the lengths of rows."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_ROWS = 4


def first_few(words: Sequence[str], most: int) -> str:
    """Lists the first words of many: `a, b and 1,203 more`; all of them where there are not more than `most`."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more:,} more" if more > 0 else "")


def rows_text(lengths: Sequence[int], rows: str = "rows", special: int | None = None) -> str:
    """How long the rows of a ragged tensor are: `with rows of 2 and 1 elements`; the range of many of them.

    Args:
        lengths: Of the rows.
        rows: What they are called.
        special: A row whose length is told even where there are many.
    """
    if not lengths:
        return f"with no {rows}"
    if len(lengths) <= _MOST_ROWS:
        *first, last = [f"{each:,}" for each in lengths]
        listed = f"{', '.join(first)} and {last}" if first else f"{last}"
        return f"with {rows if first else rows.removesuffix('s')} of {listed} elements"
    told = "" if special is None else f", {lengths[special]:,} in row {special:,}"
    return f"with {len(lengths):,} {rows} of {min(lengths):,} to {max(lengths):,} elements{told}"
