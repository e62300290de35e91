"""What stands behind an operand: a probability that was computed from logits, or a small number that was added."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tensordbg.analysis.causes.case import Case, Made, number
from tensordbg.analysis.kinds import REARRANGING

_BOUNDING = frozenset({"Add", "AddV2", "ClipByValue", "Maximum", "Minimum", "Mul", "MulNoNan", "Select", "SelectV2"})
_COMBINING = frozenset({"Cast", "DivNoNan", "Max", "Mean", "Min", "Neg", "Pow", "Prod", "Square", "Sub", "Sum"})
_THROUGH = REARRANGING | _BOUNDING | _COMBINING
_ADDING = frozenset({"Add", "AddV2", "ClipByValue", "Maximum"})
_DIVISIONS = frozenset({"Div", "DivNoNan", "RealDiv"})


def probability(made: Made | None) -> str:
    """`softmax` or `sigmoid`, whichever an operand was computed with, written out or not; empty where neither was."""
    if made is None:
        return ""
    if made.op_type in ("Softmax", "Sigmoid"):
        return made.op_type.lower()
    written = _written_out(made)
    if written:
        return written
    through = made.op_type in _THROUGH or made.op_type in _DIVISIONS or _is_argument(made)
    found = (probability(operand) for operand in made.operands) if through else iter(())
    return next((name for name in found if name), "")


def _written_out(made: Made) -> str:
    """A softmax or sigmoid that the program writes as exponentials and a division."""
    if made.op_type == "Exp" and any(each.op_type == "LogSoftmax" for each in made.operands):
        return "softmax"
    if made.op_type in ("Reciprocal", "Inv"):
        return "sigmoid" if _holds(made.operands[:1], "Exp") and not _holds(made.operands[:1], "Sum") else ""
    if made.op_type not in _DIVISIONS or len(made.operands) < 2:
        return ""
    divisor = made.operands[1:2]
    if not _holds(divisor, "Exp"):
        return ""
    if _holds(divisor, "Sum"):
        return "softmax" if _holds(made.operands[:1], "Exp") else ""
    return "sigmoid"


def _holds(several: tuple[Made, ...], op_type: str) -> bool:
    return any(each.op_type == op_type for made in several for each in _seen_through(made))


def _seen_through(made: Made) -> Iterator[Made]:
    yield made
    if made.op_type in _THROUGH or _is_argument(made):
        for operand in made.operands:
            yield from _seen_through(operand)


def _is_argument(made: Made) -> bool:
    return made.op_type in ("Placeholder", "_Arg")


def epsilon(made: Made | None) -> float:
    """The number that was added to an operand, or that bounds it from below; NaN where there is none."""
    if made is None:
        return math.nan
    if made.op_type in _ADDING:
        numbers = [operand.number for operand in made.operands[: 2 if made.op_type != "ClipByValue" else None]]
        return next((number for number in numbers[-2:] if 0 <= number <= 0.01), math.nan)
    if made.op_type in REARRANGING or made.op_type in ("Minimum", "Sqrt") or _is_argument(made):
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
