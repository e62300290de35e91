"""Causes that lie in how many elements count: a mean over no label, a deviation among a single row."""

from __future__ import annotations

from tensordbg.analysis.causes.case import Case, Cause, all_finite, largest_of, magnitude, number
from tensordbg.model import Health
from tensordbg.operations.kinds import Kind


def _labels(case: Case) -> int | None:
    """Which input holds the numbers of the classes: the whole numbers."""
    for k, given in enumerate(case.inputs):
        if given.recorded is not None and given.recorded.dtype.startswith(("int", "uint")):
            return k
    return None


def _no_label_counts(case: Case) -> bool:
    return case.operation.kind is Kind.LABEL_LOSS and case.output.nan > 0 and all_finite(case.healths())


def _explain_labels(case: Case) -> str:
    k = _labels(case)
    labels: Health | None = None if k is None else case.health(k)
    if labels is None or k is None:
        return "No label counts, each is the one that is ignored, so the mean over those that count is 0/0."
    if labels.min == labels.max:
        held = "its only label is" if labels.size == 1 else f"all {labels.size:,} labels are"
        return (
            f"{case.name(k)}: {held} {number(labels.min)}, which is ignored, or has the weight 0; the mean over the "
            "labels that count is 0/0."
        )
    return f"None of the labels in {case.name(k)} counts: each is ignored, or has the weight 0; the mean is 0/0."


def _fix_labels(case: Case) -> str:
    return case.fix("no_label_counts")


def _deviation_of_one(case: Case) -> bool:
    given = case.health(0)
    if case.operation.kind is not Kind.STANDARD_DEVIATION or not case.output.nan or given is None:
        return False
    return all_finite([given]) and given.size > 0 and (_is_all_of_it(case) or not _overflows(case, given))


def _is_all_of_it(case: Case) -> bool:
    """Whether the input is what the deviation is taken of; where it is larger, a view of it was."""
    given = case.health(0)
    return given is not None and given.size <= case.output.size


def _overflows(case: Case, given: Health) -> bool:
    """Whether squares of such numbers may be too large: else nothing but the count makes a NaN of them."""
    return (2 * magnitude(given)) ** 2 * given.size >= largest_of(case.view.dtype)


def _explain_deviation(case: Case) -> str:
    shape = case.shape(0)
    of_shape = f" (shape {list(shape)})" if shape is not None else ""
    what = f"{case.name(0)}{of_shape}" if _is_all_of_it(case) else f"What is taken of {case.name(0)}"
    return (
        f"{what} has a single element along what the deviation is taken of; the sum of squares is "
        "divided by one less than their count, and 0/0 is NaN."
    )


def _fix_deviation(case: Case) -> str:
    return case.fix("deviation_of_one")


CAUSES = (
    Cause("no_label_counts", _no_label_counts, _explain_labels, _fix_labels),
    Cause("deviation_of_one", _deviation_of_one, _explain_deviation, _fix_deviation),
)
