"""Matrices of which an operation has no finite result: singular ones, or such without the property that it needs."""

from __future__ import annotations

from tensordbg.analysis.causes.case import Case, Cause, all_finite, number
from tensordbg.operations.kinds import Kind


def _singular(case: Case) -> bool:
    return bool(case.operation.of_matrix) and all_finite(case.healths()[:1])


def _explain(case: Case) -> str:
    given, shape = case.health(0), case.shape(0)
    of_shape = f" (shape {list(shape)})" if shape is not None else ""
    why = case.operation.of_matrix
    if given is not None and given.zero == given.size:
        why = "is 0 throughout"
    runs = f", with numbers from {number(given.min)} to {number(given.max)}" if given is not None else ""
    return f"{case.name(0)}{of_shape} is finite{runs}; {case.op_type} has no finite result for a matrix that {why}."


def _fix(case: Case) -> str:
    return case.fix("singular_matrix", "determinant" if case.operation.kind is Kind.LOG_DETERMINANT else "")


CAUSES = (Cause("singular_matrix", _singular, _explain, _fix),)
