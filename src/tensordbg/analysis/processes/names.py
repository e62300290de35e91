"""Names of processes in sentences: of many only the first."""

from __future__ import annotations

from collections.abc import Sequence

_TOLD = 3


def several(names: Sequence[str]) -> str:
    """Some names as the subject of a sentence: `rank 1`, `rank 1 and rank 2`, `rank 0, rank 1, rank 2 and 997 more`."""
    told = list(names[:_TOLD])
    rest = len(names) - len(told)
    if rest:
        return f"{', '.join(told)} and {rest:,} more"
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
