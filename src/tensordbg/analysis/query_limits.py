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
