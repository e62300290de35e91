"""Reads the names in a column of the table, which are written as a text with spaces between them."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """Return the names in a text, each of which may stand there once."""
    found = frozenset(text.split())
    assert len(found) == len(text.split()), text
    return found


def words(text: str) -> tuple[str, ...]:
    """Return beginnings, or words, as `str.startswith` takes them."""
    return tuple(text.split())
