"""How large a result can be: bounds from the magnitudes of the inputs."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, largest_of, magnitude

SUMS = frozenset(
    {
        "Add",
        "AddN",
        "AddV2",
        "BiasAdd",
        "BiasAddGrad",
        "Cumsum",
        "Mean",
        "SegmentSum",
        "Sub",
        "Sum",
        "UnsortedSegmentSum",
    }
)
SQUARES = frozenset({"L2Loss", "Square", "SquaredDifference"})
POWERS = frozenset({"Cumprod", "Pow", "Prod"})
QUOTIENTS = frozenset({"Div", "Inv", "RealDiv", "Reciprocal", "Xdivy"})
CONTRACTIONS = ("BatchMatMul", "Conv", "DepthwiseConv", "Einsum", "MatMul", "SparseMatMul", "_Fused", "_Mkl")
"""Beginnings of the types that sum products."""
EXPONENTIALS = frozenset({"Cosh", "Exp", "Expm1", "Sinh"})


def is_arithmetic(case: Case) -> bool:
    """Whether the operation adds, multiplies or divides."""
    known = case.op_type == "Mul" or case.op_type in SUMS | SQUARES | POWERS | QUOTIENTS
    return known or case.op_type.startswith(CONTRACTIONS)


def exponential_limit(dtype: str) -> float:
    """The largest number whose exponential a type can hold."""
    return math.log(largest_of(dtype))


def exponent(case: Case) -> float:
    """The largest number that an exponential is taken of."""
    given = case.health(0)
    if given is None:
        return math.inf
    return magnitude(given) if case.op_type in ("Cosh", "Sinh") else given.max


def bound(case: Case) -> float:
    """The largest magnitude that an arithmetic operation can have made of its inputs."""
    sizes = [magnitude(health) for health in case.healths()]
    elements = max((health.size for health in case.healths()), default=1)
    largest = max(sizes, default=0.0)
    if case.op_type in SUMS:
        return largest * max(elements, len(sizes))
    if case.op_type in SQUARES:
        return _power(2 * largest, 2) * (elements if case.op_type == "L2Loss" else 1)
    if case.op_type == "Pow":
        return _power(*[*sizes, 1.0, 1.0][:2])
    if case.op_type in POWERS:
        return _power(largest, elements)
    if case.op_type in QUOTIENTS:
        return math.inf
    return _product(sizes[:2]) * (elements if case.op_type.startswith(CONTRACTIONS) else 1)


def _power(base: float, exponent: float) -> float:
    return math.inf if exponent * math.log10(max(base, 1.0)) > 308 else max(base, 1.0) ** exponent


def _product(factors: list[float]) -> float:
    # Beyond 308 digits a Python float is infinite as well.
    return math.prod(factors)
