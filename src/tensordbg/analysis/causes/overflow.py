"""Causes that lie in the range of a type: results beyond the largest number that it holds."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import HALF, LARGEST, Case, Cause, infinite, magnitude, number

_EXPONENTIALS = frozenset({"Cosh", "Exp", "Expm1", "Sinh"})
_SUMS = frozenset(
    {"Add", "AddN", "AddV2", "BiasAdd", "Cumsum", "Mean", "Sub", "Sum", "UnsortedSegmentSum", "SegmentSum"}
)
_SQUARES = frozenset({"L2Loss", "Square", "SquaredDifference"})
_PRODUCTS = frozenset({"Cumprod", "Mul", "Pow", "Prod"})
_CONTRACTIONS = ("BatchMatMul", "Conv", "DepthwiseConv", "Einsum", "MatMul", "SparseMatMul", "_Fused", "_Mkl")
_QUOTIENTS = frozenset({"Div", "RealDiv", "Reciprocal", "Inv", "Xdivy"})


def exponential_limit(dtype: str) -> float:
    """The largest number whose exponential a type can hold."""
    return math.log(LARGEST.get(dtype, LARGEST["float32"]))


def _is_arithmetic(case: Case) -> bool:
    op_type = case.op_type
    return op_type in _SUMS | _SQUARES | _PRODUCTS | _QUOTIENTS or op_type.startswith(_CONTRACTIONS)


def _sound_inputs(case: Case) -> bool:
    healths = case.healths()
    return bool(healths) and not any(health.non_finite for health in healths)


def magnitude_bound(case: Case) -> float:
    """The largest magnitude that the operation can have made of its inputs."""
    sizes = [magnitude(health) for health in case.healths()]
    most = max((health.size for health in case.healths()), default=1)
    largest = max(sizes, default=0.0)
    if case.op_type in _SUMS:
        return largest * max(most, len(sizes))
    if case.op_type in _SQUARES:
        return (2 * largest) ** 2 if largest < 1e150 else math.inf
    if case.op_type == "Pow":
        base, exponent = (*sizes, 0.0, 0.0)[:2]
        return math.inf if exponent * math.log10(max(base, 1.0)) > 308 else max(base, 1.0) ** exponent
    if case.op_type in ("Prod", "Cumprod"):
        return math.inf if most * math.log10(max(largest, 1.0)) > 308 else max(largest, 1.0) ** most
    if case.op_type in _QUOTIENTS:
        return math.inf
    product = math.inf if sum(math.log10(max(size, 1e-300)) for size in sizes[:2]) > 300 else math.prod(sizes[:2])
    return product * (most if case.op_type.startswith(_CONTRACTIONS) else 1)


def _overflows(case: Case) -> bool:
    return _is_arithmetic(case) and _sound_inputs(case) and magnitude_bound(case) > case.largest * 0.99


def _update_overflows(case: Case) -> bool:
    return case.written


def _exponential_overflows(case: Case) -> bool:
    given = case.health(0)
    if case.op_type not in _EXPONENTIALS or not infinite(case.output):
        return False
    if given is None:
        return True
    highest = magnitude(given) if case.op_type in ("Cosh", "Sinh") else given.max
    return highest > exponential_limit(case.view.dtype) * 0.99


def _diverges(case: Case) -> bool:
    overflow = _overflows(case) or _update_overflows(case) or _exponential_overflows(case)
    return case.growth is not None and overflow


def _explain_divergence(case: Case) -> str:
    growth = case.growth
    assert growth is not None
    shown = growth.magnitudes if len(growth.magnitudes) <= 6 else (*growth.magnitudes[:2], *growth.magnitudes[-3:])
    words = [number(value) for value in shown]
    if len(growth.magnitudes) > 6:
        words.insert(2, "...")
    return (
        f"The magnitude of {growth.tensor} grew {growth.unit} over {growth.unit}: {', '.join(words)}; then it was too large "
        f"for {case.view.dtype}, whose largest number is {number(case.largest)}."
    )


def _mend_divergence(case: Case) -> str:
    assert case.growth is not None
    if case.growth.unit == "iteration":
        return "The loop multiplies its state each time: bound it (`tf.clip_by_norm`, `tf.tanh`), or normalise it."
    return (
        "Training diverges. Lower the learning rate, clip the gradients (`tf.clip_by_global_norm(gradients, 1.0)`, or "
        "`clipnorm=1.0` of a Keras optimizer), scale the inputs to about 1."
    )


def _half_overflows(case: Case) -> bool:
    if case.view.dtype not in HALF or not infinite(case.output) + case.output.nan:
        return False
    if case.op_type in _EXPONENTIALS:
        return _exponential_overflows(case) and magnitude(case.health(0)) < exponential_limit("float32")
    return _overflows(case) and case.op_type not in _QUOTIENTS and _largest_input(case) < LARGEST["float32"] ** 0.5


def _largest_input(case: Case) -> float:
    return max((magnitude(health) for health in case.healths()), default=0.0)


def _explain_half(case: Case) -> str:
    return (
        f"The inputs go up to {number(_largest_input(case))}; the result exceeds {number(case.largest)}, the largest number "
        f"of {case.view.dtype}. In float32 it would be finite."
    )


def _mend_half(case: Case) -> str:
    return (
        "Compute this in float32 (`tf.cast(x, tf.float32)`, or `dtype='float32'` for the layer), use bfloat16, whose range is "
        "that of float32, or train with `tf.keras.mixed_precision.LossScaleOptimizer`."
    )


def _explain_exponential(case: Case) -> str:
    given = case.health(0)
    limit = exponential_limit(case.view.dtype)
    if given is None:
        return f"The exponential of a number above {limit:.2f} is too large for {case.view.dtype}."
    highest = magnitude(given) if case.op_type in ("Cosh", "Sinh") else given.max
    return (
        f"The largest element of {case.name(0)}, {number(highest)}, exceeds {limit:.2f}, the largest number whose exponential "
        f"{case.view.dtype} can hold."
    )


def _mend_exponential(case: Case) -> str:
    return (
        "Take the maximum away before the exponential (`tf.nn.softmax`, `tf.reduce_logsumexp` do), stay with logarithms, use "
        "`tf.nn.softplus(x)` for log(1 + exp(x)), or bound the input: `tf.exp(tf.minimum(x, 80.0))`."
    )


def _cast_overflows(case: Case) -> bool:
    given = case.health(0)
    return (
        case.op_type == "Cast"
        and infinite(case.output) > 0
        and (given is None or magnitude(given) > case.largest * 0.99)
    )


def _explain_cast(case: Case) -> str:
    recorded = case.inputs[0].recorded if case.inputs else None
    before = (
        f"{case.name(0)} ({recorded.dtype}) goes up to {number(magnitude(recorded.health))}"
        if recorded
        else "The input"
    )
    return f"{before}; the largest number of {case.view.dtype} is {number(case.largest)}."


def _mend_cast(case: Case) -> str:
    return (
        "Scale or bound the values before the cast (`tf.saturate_cast(x, dtype)` does the latter), or cast to bfloat16, whose "
        "range is that of float32."
    )


def _explain_arithmetic(case: Case) -> str:
    if case.written:
        return (
            f"The value that was written and the variable{' ' + case.variable if case.variable else ''} were finite before; "
            f"the update gave more than {number(case.largest)}, the largest number of {case.view.dtype}, or no number."
        )
    sizes = [
        f"{case.name(k)} up to {number(magnitude(case.health(k)))}" for k in range(len(case.inputs)) if case.health(k)
    ]
    what = "quotient by a divisor close to 0" if case.op_type in _QUOTIENTS else "result"
    return (
        f"All inputs are finite ({', '.join(sizes[:3])}), but the {what} exceeds {number(case.largest)}, the largest number "
        f"of {case.view.dtype}."
    )


def _mend_arithmetic(case: Case) -> str:
    if case.op_type in _QUOTIENTS:
        return "Keep the divisor away from 0: `a / tf.maximum(b, 1e-7)`."
    if case.written:
        return "Lower the learning rate or clip the gradients: `tf.clip_by_global_norm(gradients, 1.0)`."
    return (
        "Numbers as large as the inputs are wrong as a rule: find out where they come from, scale or normalise them, or "
        "compute with logarithms or in float64."
    )


CAUSES = (
    Cause("cast_overflow", _cast_overflows, _explain_cast, _mend_cast),
    Cause("diverging_values", _diverges, _explain_divergence, _mend_divergence),
    Cause("half_precision_overflow", _half_overflows, _explain_half, _mend_half),
    Cause("exp_overflow", _exponential_overflows, _explain_exponential, _mend_exponential),
    Cause(
        "arithmetic_overflow",
        lambda case: _overflows(case) or _update_overflows(case),
        _explain_arithmetic,
        _mend_arithmetic,
    ),
)
