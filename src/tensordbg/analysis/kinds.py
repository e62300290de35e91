"""Says by its type what an operation computes: the only home of such tables, which the rules of causes ask.

A rule speaks of sums, quotients or logarithms; which of TensorFlow's types are such is said here and nowhere else, so
that two rules can't disagree about an operation. Where an operand plays a part of its own, its position is given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tensordbg.analysis.operations import PASSING

SOFTMAX_LOSSES = frozenset({"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"})
SOFTMAX = frozenset({"LogSoftmax", "Softmax", "SparseSoftmax"}) | SOFTMAX_LOSSES
"""They take the maximum of a row away before they compute anything."""

SUMS = frozenset(
    {
        "AccumulateNV2",
        "Add",
        "AddN",
        "AddV2",
        "AvgPool",
        "AvgPool3D",
        "AvgPool3DGrad",
        "AvgPoolGrad",
        "Bincount",
        "BiasAdd",
        "BiasAddGrad",
        "BiasAddV1",
        "ComplexAbs",
        "CumulativeLogsumexp",
        "Cumsum",
        "DenseBincount",
        "Dilation2D",
        "FractionalAvgPool",
        "LinSpace",
        "MaxPool3DGrad",
        "MaxPoolGrad",
        "MaxPoolGradV2",
        "Mean",
        "MirrorPadGrad",
        "ScatterNd",
        "ScatterNdNonAliasingAdd",
        "SegmentMean",
        "SegmentSum",
        "SegmentSumV2",
        "SparseAdd",
        "SparseDenseCwiseAdd",
        "SparseReduceSum",
        "SparseReduceSumSparse",
        "SparseTensorDenseAdd",
        "Sub",
        "Sum",
        "TensorScatterAdd",
        "TensorScatterSub",
        "UnsortedSegmentSum",
    }
)
"""They add or subtract, with factors of about 1: also means, interpolations and transforms."""

_SUM_PREFIXES = ("FFT", "IFFT", "IRFFT", "RFFT", "Resize", "SparseSegment")
"""Beginnings of the types of further ones, each in several forms."""

_SUM_WRITES = ("AssignAdd", "AssignSub", "ScatterAdd", "ScatterNdAdd", "ScatterNdSub", "ScatterSub")
_PRODUCT_WRITES = ("ScatterMul",)
"""Beginnings of the types that write what they make of a variable's old value, behind `Resource` or without it."""

PRODUCTS = frozenset({"Mul", "MulNoNan", "SparseDenseCwiseMul"})
"""They multiply two numbers at a time."""

_CONTRACTIONS = frozenset({"Cross", "SparseTensorDenseMatMul", "TridiagonalMatMul"})
_CONTRACTION_PREFIXES = (
    "BatchMatMul",
    "Conv",
    "DepthwiseConv",
    "Einsum",
    "MatMul",
    "QuantizedMatMul",
    "SparseMatMul",
    "SparseMatrixMatMul",
    "XlaConv",
    "XlaDot",
    "_Fused",
    "_Mkl",
)

POWERS = frozenset({"Cumprod", "MatrixDeterminant", "Pow", "Prod", "SegmentProd"}) | {"UnsortedSegmentProd"}
"""They multiply as many numbers as there are, or as an exponent says."""

DEGREES: Mapping[str, int] = MappingProxyType(
    {
        "AdjustContrastv2": 2,
        "EluGrad": 2,
        "EuclideanNorm": 2,
        "FusedBatchNorm": 2,
        "FusedBatchNormGrad": 3,
        "FusedBatchNormGradV2": 3,
        "FusedBatchNormGradV3": 3,
        "FusedBatchNormV2": 2,
        "FusedBatchNormV3": 2,
        "HSVToRGB": 2,
        "InvGrad": 3,
        "L2Loss": 2,
        "LeakyRelu": 2,
        "Lgamma": 2,
        "LeakyReluGrad": 2,
        "ReciprocalGrad": 3,
        "RsqrtGrad": 4,
        "Selu": 1,
        "SeluGrad": 2,
        "SigmoidGrad": 3,
        "SoftplusGrad": 2,
        "Square": 2,
        "SquaredDifference": 2,
        "TanhGrad": 3,
        "Xlog1py": 2,
        "Xlogy": 2,
    }
)
"""Of which degree a result is in the largest of the numbers that go in: 2 where a square is taken."""

SUMMED = frozenset({"EuclideanNorm", "FusedBatchNorm", "FusedBatchNormGrad", "L2Loss"})
"""Beginnings of those of them that add up what they have made of each element."""

DIVISOR: Mapping[str, int] = MappingProxyType(
    {
        "Div": 1,
        "FloorDiv": 1,
        "FloorMod": 1,
        "Inv": 0,
        "Mod": 1,
        "RealDiv": 1,
        "Reciprocal": 0,
        "Rsqrt": 0,
        "ScatterDiv": 2,
        "SparseDenseCwiseDiv": 3,
        "TruncateDiv": 1,
        "TruncateMod": 1,
        "Xdivy": 1,
    }
)
"""Which input is the divisor."""

REMAINDERS = frozenset({"FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"})

GRADIENT_DIVISOR: Mapping[str, int] = MappingProxyType(
    {"InvGrad": 0, "ReciprocalGrad": 0, "RsqrtGrad": 0, "SqrtGrad": 0}
)
"""Gradients that divide by an input, which is the output of the operation that they belong to."""

QUOTIENTS: Mapping[str, int] = MappingProxyType(
    {kind: k for kind, k in DIVISOR.items() if kind not in REMAINDERS | {"Rsqrt"}}
    | {"DivNoNan": 1, "Softsign": 0, "SoftsignGrad": 1, "SqrtGrad": 0}
)
"""Their result may be as large as their divisor, the given input, is small."""

EXPONENTIALS = frozenset({"BesselI0", "BesselI1", "Cosh", "Exp", "Expint", "Expm1", "Sinh"})
EVEN_EXPONENTIALS = frozenset({"BesselI0", "BesselI1", "Cosh", "Sinh"})
"""Those that grow to both sides."""

LOGARITHM_OF: Mapping[str, int] = MappingProxyType({"Log": 0, "Log1p": 0, "Xlog1py": 1, "Xlogy": 1})
"""Which input the logarithm is taken of."""

LOGARITHMS_OF_ONE_PLUS = frozenset({"Log1p", "Xlog1py"})

ROOT_OF: Mapping[str, int] = MappingProxyType(
    {"FusedBatchNorm": 4, "FusedBatchNormV2": 4, "FusedBatchNormV3": 4, "Rsqrt": 0, "Sqrt": 0}
)
"""Which input the root is taken of; the variance that a normalisation is given, where it does not compute it."""

NORMALISATIONS = ("FusedBatchNorm",)
"""Beginnings of the types that divide by a standard deviation of their own."""

OF_NOTHING: Mapping[str, str] = MappingProxyType(
    {
        "EuclideanNorm": "NaN",
        "FusedBatchNorm": "NaN",
        "FusedBatchNormV2": "NaN",
        "FusedBatchNormV3": "NaN",
        "Max": "-inf",
        "Mean": "NaN",
        "Min": "+inf",
        "Prod": "NaN",
        "SegmentMean": "NaN",
        "SparseSegmentMean": "NaN",
    }
)
"""What reductions of no elements give."""

MATRICES: Mapping[str, str] = MappingProxyType(
    {
        "BandedTriangularSolve": "has a 0 on its diagonal",
        "Cholesky": "is not positive definite",
        "CholeskyGrad": "has a 0 on its diagonal",
        "LogMatrixDeterminant": "is singular",
        "MatrixInverse": "is singular",
        "MatrixLogarithm": "is singular",
        "MatrixSolve": "is singular",
        "MatrixSolveLs": "has no full rank",
        "MatrixSquareRoot": "has no root",
        "MatrixTriangularSolve": "has a 0 on its diagonal",
        "TridiagonalSolve": "is singular",
    }
)
"""Operations on a matrix, their first input, and what of it leaves them without a finite result."""

NO_LARGER = PASSING | frozenset(
    {
        "Abs",
        "ConcatV2",
        "GatherNd",
        "GatherV2",
        "Max",
        "Maximum",
        "Min",
        "Minimum",
        "Neg",
        "Pack",
        "Pad",
        "PadV2",
        "Relu",
        "Relu6",
        "ReluGrad",
        "ResourceGather",
        "Select",
        "SelectV2",
        "Slice",
        "Softsign",
        "SoftsignGrad",
        "Split",
        "StridedSlice",
        "Tile",
        "Unpack",
    }
)
"""What they put out is no larger than what they took in."""


REARRANGING = PASSING | frozenset(
    {
        "BroadcastTo",
        "ConcatV2",
        "DynamicPartition",
        "GatherNd",
        "GatherV2",
        "Pack",
        "Pad",
        "PadV2",
        "ResourceGather",
        "ReverseV2",
        "Slice",
        "Split",
        "SplitV",
        "StridedSlice",
        "Tile",
        "Unpack",
    }
)
"""They hand on elements of their inputs, in another order or shape."""

LIGHT = REARRANGING | frozenset(
    {
        "Add",
        "AddV2",
        "Cast",
        "ClipByValue",
        "Div",
        "DivNoNan",
        "Exp",
        "Inv",
        "Max",
        "Maximum",
        "Mean",
        "Min",
        "Minimum",
        "Mul",
        "MulNoNan",
        "Neg",
        "Pow",
        "Prod",
        "RealDiv",
        "Reciprocal",
        "Select",
        "SelectV2",
        "Sqrt",
        "Square",
        "Sub",
        "Sum",
    }
)
"""Operations of which formulas are written, through which one looks for what a number was computed from."""


@dataclass(frozen=True)
class Domain:
    """Where a function of an operand has a finite value."""

    low: float
    high: float
    words: str
    open: bool = False
    """Whether it has none at the ends themselves."""
    operand: int = 0


_POSITIVE = Domain(0.0, math.inf, "above 0", open=True)
_NOT_NEGATIVE = Domain(0.0, math.inf, "from 0 upwards")
_UNIT = Domain(-1.0, 1.0, "from -1 to 1")
_OPEN_UNIT = Domain(-1.0, 1.0, "between -1 and 1, both excluded", open=True)
_NO_POLE = Domain(0.0, math.inf, "other than 0 and the negative whole ones", open=True)


def _second(domain: Domain, operand: int = 1) -> Domain:
    return Domain(domain.low, domain.high, domain.words, domain.open, operand)


_INCOMPLETE_GAMMA = (_POSITIVE, _second(_NOT_NEGATIVE))

DOMAINS: Mapping[str, tuple[Domain, ...]] = MappingProxyType(
    {
        "Acos": (_UNIT,),
        "Acosh": (Domain(1.0, math.inf, "from 1 upwards"),),
        "Asin": (_UNIT,),
        "Atanh": (_OPEN_UNIT,),
        "BesselK0": (_POSITIVE,),
        "BesselK0e": (_POSITIVE,),
        "BesselK1": (_POSITIVE,),
        "BesselK1e": (_POSITIVE,),
        "BesselY0": (_POSITIVE,),
        "BesselY1": (_POSITIVE,),
        "Betainc": (_POSITIVE, _second(_POSITIVE), Domain(0.0, 1.0, "from 0 to 1", operand=2)),
        "Digamma": (_NO_POLE,),
        "Erfinv": (_OPEN_UNIT,),
        "Expint": (_POSITIVE,),
        "Igamma": _INCOMPLETE_GAMMA,
        "IgammaGradA": _INCOMPLETE_GAMMA,
        "Igammac": _INCOMPLETE_GAMMA,
        "Lgamma": (_NO_POLE,),
        "Ndtri": (Domain(0.0, 1.0, "between 0 and 1, both excluded", open=True),),
        "Polygamma": (_NOT_NEGATIVE, _second(_POSITIVE)),
        "RandomGamma": (_second(_POSITIVE),),
        "Spence": (_NOT_NEGATIVE,),
        "StatelessRandomGammaV2": (_second(_POSITIVE, 2),),
        "StatelessRandomGammaV3": (_second(_POSITIVE, 4),),
        "Zeta": (Domain(1.0, math.inf, "above 1", open=True), _second(_POSITIVE)),
    }
)
"""Where functions have a finite value."""


def adds(op_type: str) -> bool:
    """Whether an operation adds or subtracts, so that infinities of unlike sign may meet."""
    return op_type in SUMS or op_type.startswith(_SUM_PREFIXES) or _writes(op_type, _SUM_WRITES)


def contracts(op_type: str) -> bool:
    """Whether an operation sums products."""
    return op_type in _CONTRACTIONS or op_type.startswith(_CONTRACTION_PREFIXES)


def multiplies(op_type: str) -> bool:
    """Whether an operation multiplies numbers that it is given with each other."""
    return op_type in PRODUCTS or op_type in POWERS or contracts(op_type) or _writes(op_type, _PRODUCT_WRITES)


def _writes(op_type: str, beginnings: tuple[str, ...]) -> bool:
    return op_type.removeprefix("Resource").startswith(beginnings)
