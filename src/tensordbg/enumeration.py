"""Lists of words in sentences: the first few of them, and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence


def first_few(words: Sequence[str], most: int) -> str:
    """Lists the first words of many: `a, b and 1,203 more`; all of them where there are not more than `most`."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more:,} more" if more > 0 else "")
