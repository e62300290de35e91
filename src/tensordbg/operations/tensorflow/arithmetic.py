"""TensorFlow's types that compute with numbers: what adds, multiplies, divides or grows as an exponential does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.tensorflow.words import names, words
from tensordbg.operations.traits import Trait

ARITHMETIC: Mapping[Trait, frozenset[str]] = MappingProxyType(
    {
        Trait.ADDS: names(
            """
            AccumulateNV2 Add AddN AddV2 AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad BiasAdd BiasAddGrad BiasAddV1
            Bincount ComplexAbs Cumsum CumulativeLogsumexp DenseBincount Dilation2D FractionalAvgPool LinSpace
            MaxPool3DGrad MaxPoolGrad MaxPoolGradV2 Mean MirrorPadGrad ScatterNd ScatterNdNonAliasingAdd SegmentMean
            SegmentSum SegmentSumV2 SparseAdd SparseDenseCwiseAdd SparseReduceSum SparseReduceSumSparse
            SparseTensorDenseAdd Sub Sum TensorScatterAdd TensorScatterSub UnsortedSegmentSum
            """
        ),
        Trait.SUMS_UP: names(
            """
            EuclideanNorm FusedBatchNorm FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3 FusedBatchNormV2
            FusedBatchNormV3 L2Loss
            """
        ),
        Trait.MULTIPLIES: names("Mul MulNoNan SparseDenseCwiseMul"),
        Trait.MULTIPLIES_MANY: names("Cumprod MatrixDeterminant Pow Prod SegmentProd UnsortedSegmentProd"),
        Trait.CONTRACTS: names("Cross SparseTensorDenseMatMul TridiagonalMatMul"),
        Trait.DIVIDES: names("Div DivNoNan FloorDiv FloorMod Mod RealDiv TruncateDiv Xdivy"),
        Trait.EXPONENTIAL: names("Exp Expint Expm1"),
        Trait.EVEN: names("BesselI0 BesselI1 Cosh Sinh"),
        Trait.ONE_PLUS: names("Log1p Xlog1py"),
        Trait.TAKES_MAXIMUM_AWAY: names(
            """
            LogSoftmax Softmax SoftmaxCrossEntropyWithLogits SparseSoftmax SparseSoftmaxCrossEntropyWithLogits
            """
        ),
        Trait.ELEMENT_BY_ELEMENT: names(
            """
            Add AddV2 Div DivNoNan Maximum Minimum Mul MulNoNan Pow RealDiv SquaredDifference Sub
            """
        ),
        Trait.ON_BITS: names("BitwiseAnd BitwiseOr BitwiseXor Invert LeftShift PopulationCount RightShift"),
        Trait.SCRAMBLES: names("Bitcast Fingerprint"),
        Trait.STRICT: names("Add AddV2 Mul Neg RealDiv Sub"),
    }
)

_SUM_WRITES = ("AssignAdd", "AssignSub", "ScatterAdd", "ScatterNdAdd", "ScatterNdSub", "ScatterSub")
"""Beginnings of the types that write what they make of a variable's old value, behind `Resource` or without it."""

BEGINNINGS: Mapping[Trait, tuple[str, ...]] = MappingProxyType(
    {
        Trait.ADDS: (
            *("FFT", "IFFT", "IRFFT", "RFFT", "Resize", "SparseSegment"),
            *_SUM_WRITES,
            *(f"Resource{each}" for each in _SUM_WRITES),
        ),
        Trait.MULTIPLIES: ("ResourceScatterMul", "ScatterMul"),
        Trait.CONTRACTS: words(
            """
            BatchMatMul Conv DepthwiseConv Einsum MatMul QuantizedMatMul SparseMatMul SparseMatrixMatMul XlaConv XlaDot
            _Fused _Mkl
            """
        ),
        Trait.SCRAMBLES: words(
            """
            Random Rng StatefulRandom StatefulStandardNormal StatefulTruncated StatefulUniform StatelessRandom
            StatelessTruncated StringToHash
            """
        ),
        Trait.NORMALISES: ("FusedBatchNorm",),
    }
)
"""Each stands for several forms."""
