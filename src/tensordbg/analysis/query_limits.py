"""How much a query in SQL may take; apart from `query.py`, as nobody need load a database to name the limits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """How much a query may take that comes from outside."""

    seconds: float = 120.0
    memory: int = 4 * 2**30
    """Bytes that the database may use while it computes; nothing is written to the disk."""
    answer: int = 2**30
    """Bytes of the answer."""
    advice: str = "allow more by --time-limit"
    """What else may be done about a query that takes too long."""


PAGE_LIMITS = Limits(seconds=20.0, memory=2**30, answer=2**26, advice="ask with `tdbg sql`, which waits longer")
"""For queries that are typed into the page, whose server has other things to do too."""
