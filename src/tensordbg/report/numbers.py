"""How numbers are written in tables: short, and with a word for what is not there."""

from __future__ import annotations

import math

ABSENT = "–"
"""Stands where there is nothing to show."""


def short(value: float | None) -> str:
    """A measured number with four significant digits; `ABSENT` for None and for NaN, which stands for "none"."""
    if value is None or math.isnan(value):
        return ABSENT
    return f"{value:.4g}"


def count(value: int) -> str:
    """A count with its thousands apart."""
    return f"{value:,}"


def count_or_blank(value: int) -> str:
    """A count that is shown only where it is not zero, so that what matters stands out."""
    return count(value) if value else ""


def amount(value: int, noun: str) -> str:
    """`1 step`, `1,200 steps`."""
    return f"{count(value)} {noun}{'' if value == 1 else 's'}"
