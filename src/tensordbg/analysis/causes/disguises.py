"""What stands behind an operand: a probability that was computed from logits, or a small number that was added."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, Made, number
from tensordbg.operations.composites import probability_behind
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_ADDING = frozenset({Kind.ADD, Kind.CLIP, Kind.MAXIMUM})
_KEEPING_EPSILON = frozenset({Kind.ARGUMENT, Kind.MINIMUM, Kind.SQRT})
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
"""Causes whose mend depends on how the operands were made."""


def fused_loss(name: str) -> str:
    """Says how to compute a loss without the logarithm of a probability."""
    if name == "softmax":
        return (
            "The input is the output of a softmax. Compute the loss from the logits, which never takes the logarithm "
            "of 0: `tf.nn.softmax_cross_entropy_with_logits(labels, logits)`, or `tf.nn.log_softmax(logits)` "
            "(with Keras: a last layer without activation, and `from_logits=True`)."
        )
    return (
        "The input is the output of a sigmoid. Compute the loss from the logits: "
        "`tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)`, or `tf.math.log_sigmoid(logits)` "
        "(with Keras: a last layer without activation, and `from_logits=True`)."
    )


def lost_epsilon(case: Case, k: int) -> str:
    """Says that the program has an epsilon there that does nothing; empty where it has none."""
    added = epsilon(behind(case, k))
    if math.isnan(added):
        return ""
    if added == 0:
        if case.view.dtype != "float16":
            return f" The number that is added to {case.name(k)} is 0 in {case.view.dtype}: take 1e-7."
        return (
            f" The small number that is added to {case.name(k)} is 0 in float16 (1e-8 is below its smallest number): "
            "take 1e-4, or compute this in float32."
        )
    return (
        f" The {number(added)} that is added to {case.name(k)} does not keep it from 0, as what it is added to is "
        "negative or the type can't hold it: bound it from below instead, `tf.maximum(x, 1e-7)`."
    )


def behind(case: Case, k: int) -> Made | None:
    """How an input was made, where that was looked for."""
    return case.behind[k] if k < len(case.behind) else None
