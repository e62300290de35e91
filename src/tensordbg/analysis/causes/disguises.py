"""Recognises what an operand was made of: a probability computed from logits, or a small number that was added."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, Made, number
from tensordbg.operations.composites import probability_behind
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_ADDING = frozenset({Kind.ADD, Kind.CLIP, Kind.MAXIMUM})
_KEEPING_EPSILON = frozenset({Kind.ARGUMENT, Kind.MINIMUM, Kind.SQRT})
_SMALLEST_HALF = 2.0**-25
"""What is smaller is 0 in float16."""
_PROBABILITIES = {Kind.SIGMOID: "sigmoid", Kind.SOFTMAX: "softmax"}


def probability(made: Made | None) -> str:
    """`softmax` or `sigmoid`, whichever an operand was computed with, written out or not; empty where neither was."""
    kind = None if made is None else probability_behind(made)
    return "" if kind is None else _PROBABILITIES[kind]


def epsilon(made: Made | None) -> float:
    """The number that was added to an operand, or that bounds it from below; NaN where there is none."""
    if made is None:
        return math.nan
    kind = made.operation.kind
    if kind in _ADDING:
        numbers = [operand.number for operand in made.operands[: None if kind is Kind.CLIP else 2]]
        return next((number for number in numbers[-2:] if 0 <= number <= 0.01), math.nan)
    if made.operation.has(Trait.REARRANGES) or kind in _KEEPING_EPSILON:
        return epsilon(made.operands[0]) if made.operands else math.nan
    return math.nan


ADVISED = frozenset({"division_by_zero", "infinite_gradient", "log_of_negative", "log_of_zero", "root_of_negative"})
"""Causes whose fix depends on how the operands were made."""


def lost_epsilon(case: Case, k: int) -> str:
    """Says that the program has an epsilon there that does nothing; empty where it has none."""
    added = epsilon(behind(case, k))
    if math.isnan(added):
        return ""
    if added == 0 or (case.view.dtype == "float16" and added < _SMALLEST_HALF):
        half = "_half" if case.view.dtype == "float16" else ""
        return case.fix("epsilon", f"zero{half}", name=case.name(k), dtype=case.view.dtype)
    return case.fix("epsilon", "lost", added=number(added), name=case.name(k))


def behind(case: Case, k: int) -> Made | None:
    """How an input was made, where that was looked for."""
    return case.behind[k] if k < len(case.behind) else None
