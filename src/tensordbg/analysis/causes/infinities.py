"""Causes that need an infinity to begin with: where infinities that the program wrote down become NaN."""

from __future__ import annotations

from tensordbg.analysis.causes.case import Case, Cause, counted, infinite
from tensordbg.model import Health

_SOFTMAX = frozenset({"LogSoftmax", "Softmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"})
_PRODUCTS = frozenset({"BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum", "MatMul", "Mul", "_FusedMatMul"})
_SUMS = frozenset({"Add", "AddN", "AddV2", "BiasAdd", "Cumsum", "Mean", "Sub", "Sum"})
_QUOTIENTS = frozenset({"Div", "RealDiv"})


def _given_infinities(case: Case) -> list[Health]:
    return [health for health in case.healths() if infinite(health)]


def _masked_throughout(case: Case) -> bool:
    logits = case.health(0)
    return (
        case.op_type in _SOFTMAX
        and case.output.nan > 0
        and logits is not None
        and 0 < logits.neg_inf == infinite(logits)
    )


def _explain_masked(case: Case) -> str:
    logits, shape = case.health(0), case.shape(0)
    assert logits is not None
    row = f" of {shape[-1]:,}" if shape else ""
    return (
        f"{logits.neg_inf:,} of the {logits.size:,} elements of {case.name(0)} are -inf, and at least one row{row} "
        "holds nothing else; a softmax takes the row's maximum away first, and -inf - (-inf) is NaN."
    )


def _mend_masked(case: Case) -> str:
    return (
        f"Mask with a large finite number, `tf.where(mask, x, tf.{case.view.dtype}.min)`, or keep rows that are masked "
        "throughout out of the softmax (`tf.keras.layers.Softmax()(x, mask)`)."
    )


def _zero_times_inf(case: Case) -> bool:
    if not case.output.nan or case.op_type not in _PRODUCTS | _QUOTIENTS:
        return False
    healths = case.healths()
    if case.op_type in _QUOTIENTS:
        return len(healths) == 2 and all(infinite(health) for health in healths)
    return any(
        infinite(one) and other.zero for k, one in enumerate(healths) for m, other in enumerate(healths) if k != m
    )


def _explain_zero_times(case: Case) -> str:
    if case.op_type in _QUOTIENTS:
        return f"Both {case.name(0)} and {case.name(1)} hold infinities; infinity / infinity is NaN."
    k = next((k for k in range(len(case.inputs)) if infinite(case.health(k))), 0)
    other = case.health(1 - k)
    zeros = counted(other.zero, "zero", "zeros") if other is not None else "zeros"
    infinities = counted(infinite(case.health(k)), "infinity", "infinities")
    return f"{case.name(k)} holds {infinities}, {case.name(1 - k)} holds {zeros}; 0 * infinity is NaN."


def _mend_zero_times(case: Case) -> str:
    return (
        "A mask cannot be multiplied in where infinities are: choose with `tf.where(mask, x, 0.0)`, or "
        "`tf.math.multiply_no_nan(x, mask)`."
    )


def _inf_minus_inf(case: Case) -> bool:
    if not case.output.nan or case.op_type not in _SUMS | _SOFTMAX | _PRODUCTS:
        return False
    return bool(_given_infinities(case))


def _explain_inf_minus_inf(case: Case) -> str:
    parts = []
    for k in range(len(case.inputs)):
        health = case.health(k)
        if health is not None and infinite(health):
            signs = [
                f"{count:,} {sign}" for count, sign in ((health.pos_inf, "+inf"), (health.neg_inf, "-inf")) if count
            ]
            parts.append(f"{case.name(k)} holds {' and '.join(signs)}")
    return f"{'; '.join(parts)}; infinities of unlike sign in a sum, or of like sign in a difference, give NaN."


def _mend_inf_minus_inf(case: Case) -> str:
    return "Keep the infinities out before they meet: mask with a large finite number, or clip (`tf.clip_by_value`)."


CAUSES = (
    Cause("fully_masked_softmax", _masked_throughout, _explain_masked, _mend_masked),
    Cause("zero_times_inf", _zero_times_inf, _explain_zero_times, _mend_zero_times),
    Cause("inf_minus_inf", _inf_minus_inf, _explain_inf_minus_inf, _mend_inf_minus_inf),
)
