"""Errors for the page, where something can't be answered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """An error: what was given, the rule, and what to do, in one sentence."""

    error: str
