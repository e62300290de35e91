"""The parts that operands of TensorFlow's types play, and what of their numbers makes a result that is not finite."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.operation import Role

OPERANDS: Mapping[Role, Mapping[str, int]] = MappingProxyType(
    {
        Role.LOGARITHM: {"Log": 0, "Log1p": 0, "Xlog1py": 1, "Xlogy": 1},
        Role.ROOT: {"FusedBatchNorm": 4, "FusedBatchNormV2": 4, "FusedBatchNormV3": 4, "Rsqrt": 0, "Sqrt": 0},
        Role.DIVISOR: {
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
        },
        Role.FORWARD_DIVISOR: {"InvGrad": 0, "ReciprocalGrad": 0, "RsqrtGrad": 0, "SqrtGrad": 0},
        Role.DENOMINATOR: {
            "Div": 1,
            "DivNoNan": 1,
            "Inv": 0,
            "RealDiv": 1,
            "Reciprocal": 0,
            "ScatterDiv": 2,
            "Softsign": 0,
            "SoftsignGrad": 1,
            "SparseDenseCwiseDiv": 3,
            "SqrtGrad": 0,
            "Xdivy": 1,
        },
    }
)
INDICES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "DynamicPartition": (1,),
        "Gather": (1,),
        "GatherNd": (1,),
        "GatherV2": (1,),
        "OneHot": (0,),
        "ResourceGather": (1,),
        "ResourceGatherNd": (1,),
        "ScatterNd": (0,),
        "SegmentSum": (1,),
        "Slice": (1, 2),
        "StridedSlice": (1, 2),
        "TensorListGetItem": (1,),
        "TensorScatterAdd": (1,),
        "TensorScatterUpdate": (1,),
        "UnsortedSegmentSum": (1,),
    }
)
"""The inputs that tell which elements are taken or put, or where."""
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
        "LeakyReluGrad": 2,
        "Lgamma": 2,
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
"""Of which degree a result is in the largest of the numbers that go in."""
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
OF_MATRIX: Mapping[str, str] = MappingProxyType(
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
