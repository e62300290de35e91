"""Looks up the fix for a cause, a warning or an alert, in the words of the program's framework."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.advice import common, tensorflow, torch
from tensordbg.operations.frameworks import TENSORFLOW, TITLES, TORCH

Fixes = Mapping[str, Mapping[str, str]]
"""By what is wrong, then by what else is known of it: empty for the usual case."""

FIXES: Mapping[str, Fixes] = MappingProxyType({TENSORFLOW: tensorflow.FIXES, TORCH: torch.FIXES})
"""By the name of the framework."""

NOT_THERE: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {TENSORFLOW: tensorflow.NOT_THERE, TORCH: torch.NOT_THERE}
)
"""By the name of the framework what can't be wrong in it, with the reason."""


def fix(framework: str, wrong: str, known: str = "", **words: str) -> str:
    """Say what can be done.

    Args:
        framework: The framework of the operation; of one that has no advice of its own, what holds for every framework.
        wrong: The name of the cause, the kind of the warning or of the alert.
        known: What else is known of it, and changes what is to be done.
        words: What stands in the text of this case.
    """
    for each in (FIXES.get(framework, {}), common.FIXES):
        text = each.get(wrong, {}).get(known)
        if text is not None:
            return text.format_map(words)
    return common.FIXES["unknown"][""]


def title(framework: str) -> str:
    """The name of a framework in sentences."""
    return TITLES.get(framework, "the framework")
