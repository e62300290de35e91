"""Overflows of what was divided by something that came nearer and nearer to 0, such as a learned temperature."""

from __future__ import annotations

from tensordbg.analysis.causes.case import Case, Cause, number, some_of
from tensordbg.analysis.causes.magnitudes import exponential_overflows, may_overflow

SHRINKS = "shrinking_divisor"
"""The cause of what was divided by ever smaller numbers."""


def _shrinks(case: Case) -> bool:
    return case.shrunk is not None and (may_overflow(case) or exponential_overflows(case))


def explain_shrinking(case: Case) -> str:
    """Says how the divisor shrank, and where it divides; empty where none did."""
    shrunk = case.shrunk
    if shrunk is None:
        return ""
    place = f" ({shrunk.place})" if shrunk.place else ""
    return f"The divisor {shrunk.name} shrank {shrunk.unit} by {shrunk.unit}: {some_of(shrunk.sizes)}{place}"


def _explain(case: Case) -> str:
    return (
        f"{explain_shrinking(case)}. What is divided by it grew as it shrank; in the end the result was beyond "
        f"{number(case.largest)}, the largest number of {case.view.dtype}."
    )


def fix_shrinking(case: Case) -> str:
    """Says how to keep the divisor from 0."""
    shrunk = case.shrunk
    assert shrunk is not None
    known = "exponential" if shrunk.exponential else "variable" if shrunk.variable else ""
    return case.fix(SHRINKS, known, name=shrunk.name)


CAUSES = (Cause(SHRINKS, _shrinks, _explain, fix_shrinking),)
