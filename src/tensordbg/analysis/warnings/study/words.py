"""Numbers and names in the sentences of warnings."""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.causes.case import number

_NAMED = 8


def listed(names: Sequence[str]) -> tuple[str, ...]:
    """The first few names, each once."""
    return tuple(dict.fromkeys(names))[:_NAMED]


def share(part: float) -> str:
    """A share as per cent: `98.4 %`."""
    return f"{100 * part:.3g} %"


def from_to(begin: float, end: float) -> str:
    """`from 0.1 to 2.5e4`."""
    return f"from {number(begin)} to {number(end)}"


def times(ratio: float) -> str:
    """By what factor: `2.5e5 times`."""
    return f"{number(ratio)} times"
