"""The table of causes: the first entry whose test holds says why an operation gave what it gave.

A test looks at the operation's type and at the statistics of what went in and came out, never at names.
"""

from __future__ import annotations

from tensordbg.analysis.causes import (
    alignments,
    another_process,
    counts,
    division,
    domain,
    factors,
    incoming,
    infinities,
    logarithms,
    matrices,
    overflow,
    regrouping,
    shrinking,
)
from tensordbg.analysis.causes.case import Case, Cause
from tensordbg.analysis.causes.parts import with_rest
from tensordbg.analysis.finding import Verdict
from tensordbg.operations.traits import Trait


def _unexplained(case: Case) -> str:
    if case.operation.has(Trait.RUNS_UNSEEN):
        return (
            f"{case.op_type} ran as a whole in compiled code: which operation in its branch or loop began is not seen"
        )
    return f"None of the known causes fits what {case.op_type} was given."


UNKNOWN = Cause(
    "unknown",
    lambda case: True,
    _unexplained,
    lambda case: case.fix("unknown", "unseen" if case.operation.has(Trait.RUNS_UNSEEN) else ""),
)

TABLE: tuple[Cause, ...] = (
    *incoming.CAUSES,
    *another_process.CAUSES,
    *infinities.CAUSES,
    *counts.CAUSES,
    *division.CAUSES,
    *logarithms.CAUSES,
    *domain.CAUSES,
    *matrices.CAUSES,
    *alignments.CAUSES,
    *shrinking.CAUSES,
    *overflow.CAUSES,
    *regrouping.CAUSES,
    *factors.CAUSES,
    UNKNOWN,
)
"""All causes, in the order in which they are tried."""


def judge(case: Case) -> Verdict:
    """Name the cause of an origin."""
    cause = _first(case)
    if cause is UNKNOWN:
        for write, other in with_rest(case):
            if (of_rest := _first(other)) is not UNKNOWN:
                explanation = f"{of_rest.explanation(other)} {write} has written a part of that since."
                return Verdict(of_rest.name, explanation, of_rest.suggestion(other))
    return Verdict(cause.name, cause.explanation(case), cause.suggestion(case))


def _first(case: Case) -> Cause:
    return next(cause for cause in TABLE if cause.test(case))
