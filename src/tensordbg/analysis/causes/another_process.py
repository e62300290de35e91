"""Causes that lie in another process: what came out of an operation that several processes run together."""

from __future__ import annotations

from tensordbg.advice.lookup import fix
from tensordbg.analysis.causes.case import HALF, Case, Cause, largest_of, magnitude, number
from tensordbg.analysis.causes.incoming import bad_elements
from tensordbg.analysis.finding import Origin, Verdict
from tensordbg.model import Health
from tensordbg.operations.frameworks import framework_of_type


def _was_sent(case: Case) -> bool:
    """Whether other processes have sent it to a step that is replayed, without them."""
    return case.given and case.came == "processes"


def _is_from_another(case: Case) -> bool:
    return case.operation.collective is not None or _was_sent(case)


def _explain(case: Case) -> str:
    if _was_sent(case):
        return f"Other processes have sent {case.view.tensor} within the step, with {bad_elements(case.output)}."
    collective = case.operation.collective
    assert collective is not None
    kind = collective.kind
    if collective.receives:
        return f"The {kind} brought {bad_elements(case.output)}, so they came from the process that sent it."
    overflow = ""
    if not case.output.nan and kind != "all-gather":
        overflow = f", or the sum over all of them was beyond {number(case.largest)}, the largest of {case.view.dtype}"
    came = f"from another {collective.between}"
    return (
        f"What was put into this {kind} here is finite, and {bad_elements(case.output)} came out: they came {came}"
        f"{overflow}."
    )


def _fix(case: Case) -> str:
    return case.fix("from_another_process", "captures" if _was_sent(case) else "")


CAUSES = (Cause("from_another_process", _is_from_another, _explain, _fix),)


def overflow_verdict(origin: Origin, kind: str, parties: int) -> Verdict:
    """Explains a bad result of an operation into which all parties put finite numbers: together they overflowed.

    Args:
        origin: What one of the processes got.
        kind: What they did, such as `all-reduce`.
        parties: How many put something in.
    """
    view = origin.view
    given = max((magnitude(each.recorded.health) for each in origin.inputs[:1] if each.recorded), default=0.0)
    explanation = (
        f"All {parties} put finite numbers into this {kind}, up to {number(given)} here, and "
        f"{bad_elements(view.health or Health(size=1, nan=1))} came out: together they were beyond "
        f"{number(largest_of(view.dtype))}, the largest number of {view.dtype}."
    )
    cause = "half_precision_overflow" if view.dtype in HALF else "arithmetic_overflow"
    return Verdict(cause, explanation, fix(framework_of_type(view.op_type), cause, "processes"))
