"""TensorFlow's own operations with inputs of which they make something that is not finite, and the cause of it.

Each case is run for real; `test_operation_kinds.py` asks `why` about it.
Infinities fill a whole input, as those of a mask do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

inf, big = np.inf, np.float32(3e38)
OVERFLOW, HALF, CANCEL, TIMES = "arithmetic_overflow", "half_precision_overflow", "inf_minus_inf", "zero_times_inf"
DIVISION, SLOPE, DOMAIN, MASKED = "division_by_zero", "infinite_gradient", "function_domain", "fully_masked_softmax"
NOTHING, MATRIX, ROOT, OUTSIDE = "reduction_of_nothing", "singular_matrix", "root_of_negative", "bad_input_data"


@dataclass(frozen=True)
class OperationCase:
    """An operation, what it is given, and the cause that must be named."""

    op_type: str
    cause: str
    given: dict[str, Any]


def f(*values: Any) -> Any:
    """A vector, or a tensor given as a list."""
    return tf.constant(np.array(values[0] if len(values) == 1 else values, np.float32))


def v(*values: float) -> Any:
    """A vector, also of one element."""
    return tf.constant(np.array(values, np.float32))


def grid(rank: int, *values: float) -> Any:
    """A tensor of some rank whose second axis holds some values."""
    shape = [1, len(values), *[1] * (rank - 2)]
    return tf.constant(np.array(values, np.float32).reshape(shape))


CASES: list[OperationCase] = []


def case(cause: str, op_type: str, **given: Any) -> None:
    CASES.append(OperationCase(op_type, cause, given))


def sums() -> None:
    for name in ("Add", "AddV2"):
        case(CANCEL, name, x=v(inf), y=v(-inf))
        case(OVERFLOW, name, x=v(big), y=v(big))
    case(CANCEL, "Sub", x=v(inf), y=v(inf))
    case(OVERFLOW, "Sub", x=v(big), y=v(-big))
    case(CANCEL, "AddN", inputs=[v(inf), v(-inf)])
    case(OVERFLOW, "AddN", inputs=[v(big), v(big)])
    for name in ("BiasAdd", "BiasAddV1"):
        case(CANCEL, name, value=f([[inf]]), bias=v(-inf))
        case(OVERFLOW, name, value=f([[big]]), bias=v(big))
    case(CANCEL, "BiasAddGrad", out_backprop=f([[inf], [-inf]]))
    case(OVERFLOW, "BiasAddGrad", out_backprop=f([[big], [big]]))
    for name in ("Sum", "Mean"):
        case(CANCEL, name, input=f(inf, -inf), axis=0)
        case(OVERFLOW, name, input=f(big, big), axis=0)
    case(CANCEL, "Cumsum", x=f(inf, -inf), axis=0)
    case(OVERFLOW, "Cumsum", x=f(big, big), axis=0)
    case(CANCEL, "CumulativeLogsumexp", x=f(inf, inf), axis=0)
    case(OVERFLOW, "EuclideanNorm", input=f(big, big), axis=0)
    case(OVERFLOW, "L2Loss", t=v(1e30))
    case(OVERFLOW, "Square", x=v(1e30))
    case(OVERFLOW, "SquaredDifference", x=v(1e30), y=v(0))
    case(CANCEL, "SquaredDifference", x=v(inf), y=v(inf))
    case(OVERFLOW, "ComplexAbs", x=tf.constant([3e38 + 3e38j], tf.complex64))
    case(OVERFLOW, "LinSpace", start=tf.constant(-big), stop=tf.constant(big), num=3)
    for name in ("Bincount", "DenseBincount"):
        case(OVERFLOW, name, **{"arr" if name == "Bincount" else "input": [0, 0]}, size=1, weights=f(big, big))
    case(OVERFLOW, "ScatterNd", indices=[[0], [0]], updates=f(big, big), shape=[1])
    case(CANCEL, "ScatterNd", indices=[[0], [0]], updates=f(inf, -inf), shape=[1])
    case(OVERFLOW, "ScatterNdNonAliasingAdd", input=v(big), indices=[[0]], updates=v(big))
    case(OVERFLOW, "TensorScatterAdd", tensor=v(big), indices=[[0]], updates=v(big))
    case(CANCEL, "TensorScatterAdd", tensor=v(inf), indices=[[0]], updates=v(-inf))
    case(OVERFLOW, "TensorScatterSub", tensor=v(big), indices=[[0]], updates=v(-big))
    case(OVERFLOW, "MirrorPadGrad", input=f(big, big, big), paddings=[[1, 0]], mode="REFLECT")
    case(OVERFLOW, "FFT", input=tf.constant([3e38, 3e38], tf.complex64))
    case(OVERFLOW, "RFFT", input=f(big, big), fft_length=[2])


def segments() -> None:
    both = {"segment_ids": [0, 0]}
    for name in ("SegmentSum", "SegmentMean"):
        case(CANCEL, name, data=f(inf, -inf), **both)
        case(OVERFLOW, name, data=f(big, big), **both)
    case(CANCEL, "UnsortedSegmentSum", data=f(inf, -inf), num_segments=1, **both)
    case(OVERFLOW, "UnsortedSegmentSum", data=f(big, big), num_segments=1, **both)
    case(OVERFLOW, "SegmentProd", data=f(big, big), **both)
    case(TIMES, "SegmentProd", data=f(inf, 0), **both)
    case(OVERFLOW, "UnsortedSegmentProd", data=f(big, big), num_segments=1, **both)
    case(TIMES, "UnsortedSegmentProd", data=f(inf, 0), num_segments=1, **both)
    for name in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
        case(CANCEL, name, data=f(inf, -inf), indices=[0, 1], **both)
        case(OVERFLOW, name, data=f(big, big), indices=[0, 1], **both)
        case(OVERFLOW, f"{name}WithNumSegments", data=f(big, big), indices=[0, 1], num_segments=2, **both)
        case(OVERFLOW, f"{name}Grad", grad=f([[big], [big]]), indices=[0, 0], segment_ids=[0, 1], output_dim0=2)


def sparse() -> None:
    places = tf.constant([[0, 0], [0, 1]], tf.int64)
    reduced: dict[str, Any] = {"input_indices": places, "input_shape": [1, 2], "reduction_axes": [1]}
    for name in ("SparseReduceSum", "SparseReduceSumSparse"):
        case(CANCEL, name, input_values=f(inf, -inf), **reduced)
        case(OVERFLOW, name, input_values=f(big, big), **reduced)
    one: dict[str, Any] = {"a_indices": places, "a_shape": [1, 2]}
    same: dict[str, Any] = {"b_indices": places, "b_shape": [1, 2], "b_values": f(big, big)}
    case(OVERFLOW, "SparseAdd", a_values=f(big, big), thresh=0.0, **one, **same)
    case(OVERFLOW, "SparseTensorDenseMatMul", a_values=f(1e20, 1e20), b=f([[1e20], [1e20]]), **one)
    case(TIMES, "SparseTensorDenseMatMul", a_values=f(inf, inf), b=f([[0.0], [0]]), **one)
    case(OVERFLOW, "SparseTensorDenseAdd", a_values=f(big, big), b=f([[big, big]]), **one)
    wise: dict[str, Any] = {"sp_indices": places, "sp_shape": [1, 2]}
    case(OVERFLOW, "SparseDenseCwiseMul", sp_values=f(big, big), dense=f([[big, big]]), **wise)
    case(OVERFLOW, "SparseDenseCwiseAdd", sp_values=f(big, big), dense=f([[big, big]]), **wise)
    case(OVERFLOW, "SparseDenseCwiseDiv", sp_values=f(big, big), dense=f([[1e-30, 1e-30]]), **wise)
    case(MASKED, "SparseSoftmax", sp_values=f(-inf, -inf), **wise)


def products() -> None:
    case(TIMES, "Mul", x=v(inf), y=v(0))
    case(OVERFLOW, "Mul", x=v(big), y=v(big))
    case(HALF, "Mul", x=tf.constant([300.0], tf.float16), y=tf.constant([300.0], tf.float16))
    case(OVERFLOW, "MulNoNan", x=v(big), y=v(big))
    for name, one, other in (
        ("MatMul", "a", "b"),
        ("SparseMatMul", "a", "b"),
        ("BatchMatMul", "x", "y"),
        ("BatchMatMulV2", "x", "y"),
        ("BatchMatMulV3", "x", "y"),
    ):
        kept = {"Tout": tf.float32} if name == "BatchMatMulV3" else {}
        case(OVERFLOW, name, **{one: f([[1e30]]), other: f([[1e30]])}, **kept)
        case(TIMES, name, **{one: f([[inf]]), other: f([[0.0]])}, **kept) if name != "SparseMatMul" else None
    case(TIMES, "Einsum", inputs=[v(inf), v(0)], equation="i,i->")
    case(OVERFLOW, "Einsum", inputs=[v(1e30), v(1e30)], equation="i,i->")
    case(OVERFLOW, "Cross", a=f(1e30, 1e30, 1e30), b=f(1e30, 2e30, 3e30))
    case(TIMES, "Cross", a=f(inf, inf, inf), b=f(0, 0, 0))
    line = {"superdiag": f([[0.0]]), "subdiag": f([[0.0]])}
    case(OVERFLOW, "TridiagonalMatMul", maindiag=f([[1e30]]), rhs=f([[1e30]]), **line)
    case(OVERFLOW, "Prod", input=f(big, big), axis=0)
    case(TIMES, "Prod", input=f(inf, 0), axis=0)
    case(OVERFLOW, "Cumprod", x=f(big, big), axis=0)
    case(TIMES, "Cumprod", x=f(inf, 0), axis=0)
    case(OVERFLOW, "MatrixDeterminant", input=f([[1e30, 0], [0, 1e30]]))
    colours = tf.constant(np.array([1e30] * 3 + [-1e30] * 3, np.float32).reshape(1, 1, 2, 3))
    case(OVERFLOW, "AdjustContrastv2", images=colours, contrast_factor=1e30)
    case(OVERFLOW, "HSVToRGB", images=f([[big, big, big]]))


def convolutions() -> None:
    for rank, name, filters, inputs in (
        (4, "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput"),
        (4, "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput"),
        (5, "Conv3D", "Conv3DBackpropFilterV2", "Conv3DBackpropInputV2"),
    ):
        how: dict[str, Any] = {"strides": [1] * rank, "padding": "VALID"}
        for cause, one, other in ((OVERFLOW, 1e30, 1e30), (TIMES, inf, 0.0)):
            x, y = grid(rank, one), grid(rank, other)
            case(cause, name, input=x, filter=y, **how)
            case(cause, filters, input=x, filter_sizes=[1] * rank, out_backprop=y, **how)
            case(cause, inputs, input_sizes=[1] * rank, filter=x, out_backprop=y, **how)
    two = tf.constant(np.full((1, 1, 1, 2), inf, np.float32))
    signs = tf.constant(np.array([1.0, -1.0], np.float32).reshape(1, 1, 2, 1))
    case(CANCEL, "Conv2D", input=two, filter=signs, strides=[1] * 4, padding="VALID")
    case(
        OVERFLOW, "Dilation2D", input=grid(4, big), filter=f([[[big]]]), strides=[1] * 4, rates=[1] * 4, padding="VALID"
    )


def pools() -> None:
    for rank, name in ((4, "AvgPool"), (5, "AvgPool3D")):
        how: dict[str, Any] = {"ksize": [1, 2, *[1] * (rank - 2)], "strides": [1] * rank, "padding": "VALID"}
        taken = "value" if rank == 4 else "input"
        case(OVERFLOW, name, **{taken: grid(rank, big, big)}, **how)
        case(CANCEL, name, **{taken: grid(rank, inf, -inf)}, **how)
        maximum = "MaxPoolGrad" if rank == 4 else "MaxPool3DGrad"
        shown = {"orig_input": grid(rank, 0, 1, 0), "orig_output": grid(rank, 1, 1), "grad": grid(rank, big, big)}
        case(OVERFLOW, maximum, **shown, **how)
        means = "AvgPoolGrad" if rank == 4 else "AvgPool3DGrad"
        case(CANCEL, means, orig_input_shape=[1, 3, *[1] * (rank - 2)], grad=grid(rank, inf, -inf), **how)
        if rank == 4:
            case(OVERFLOW, "MaxPoolGradV2", **shown, **how)
    pooled = grid(4, big, big, big)
    case(OVERFLOW, "FractionalAvgPool", value=pooled, pooling_ratio=[1.0, 1.5, 1.0, 1.0])
    tall = tf.constant(np.array([big, -big], np.float32).reshape(1, 1, 1, 2).transpose(0, 1, 3, 2))
    case(OVERFLOW, "ResizeBilinear", images=tall, size=[1, 4])
    case(OVERFLOW, "ResizeBicubic", images=tall, size=[1, 4])
    case(OVERFLOW, "ResizeNearestNeighborGrad", grads=tf.abs(tall), size=[1, 1])


def quotients() -> None:
    for name in ("Div", "RealDiv"):
        case(DIVISION, name, x=v(1), y=v(0))
        case(DIVISION, name, x=v(0), y=v(0))
        case(TIMES, name, x=v(inf), y=v(inf))
        case(OVERFLOW, name, x=v(1e30), y=v(1e-30))
    for name in ("FloorDiv", "FloorMod", "Mod", "TruncateMod", "Xdivy"):
        case(DIVISION, name, x=v(1), y=v(0))
    case(DOMAIN, "FloorMod", x=v(inf), y=v(2))
    case(OVERFLOW, "Xdivy", x=v(1e30), y=v(1e-30))
    case(OVERFLOW, "DivNoNan", x=v(1e30), y=v(1e-30))
    case(TIMES, "DivNoNan", x=v(inf), y=v(inf))
    for name in ("Inv", "Reciprocal"):
        case(DIVISION, name, x=v(0))
        case(HALF, name, x=tf.constant([1e-6], tf.float16))
    case(DIVISION, "Rsqrt", x=v(0))
    case(SLOPE, "SqrtGrad", y=v(0), dy=v(1))
    case(OVERFLOW, "SqrtGrad", y=v(1e-30), dy=v(1e30))
    for name in ("InvGrad", "ReciprocalGrad", "RsqrtGrad", "TanhGrad", "SigmoidGrad"):
        case(OVERFLOW, name, y=v(1e30), dy=v(1e30))
    case(TIMES, "Softsign", features=v(inf))
    case(TIMES, "SoftsignGrad", gradients=v(inf), features=v(inf))
    case(CANCEL, "SoftplusGrad", gradients=v(inf), features=v(-inf))
    for name in ("EluGrad", "SeluGrad"):
        case(OVERFLOW, name, gradients=v(1e30), outputs=v(-1e30))
    case(OVERFLOW, "Selu", features=v(3.4e38))
    case(OVERFLOW, "LeakyRelu", features=v(-1e30), alpha=1e30)
    case(OVERFLOW, "LeakyReluGrad", gradients=v(1e30), features=v(-1), alpha=1e30)


def functions() -> None:
    for name, value in (("Log", 0), ("Log1p", -1)):
        case("log_of_zero", name, x=v(value))
        case("log_of_negative", name, x=v(value - 1))
    for name, value in (("Xlogy", 0), ("Xlog1py", -1)):
        case("log_of_zero", name, x=v(1), y=v(value))
        case("log_of_negative", name, x=v(1), y=v(value - 1))
        case(OVERFLOW, name, x=v(big), y=v(big))
    for name in ("Exp", "Expm1", "BesselI0", "BesselI1", "Expint"):
        case("exp_overflow", name, x=v(200))
    for name in ("Sinh", "Cosh"):
        case("exp_overflow", name, x=v(-200))
    case("exp_overflow", "Exp", x=tf.constant([100 + 1j], tf.complex64))
    for name in ("Sqrt", "Rsqrt"):
        case(ROOT, name, x=v(-1))
    case("pow_domain", "Pow", x=v(-1), y=v(0.5))
    case("pow_domain", "Pow", x=v(0), y=v(-1))
    case(OVERFLOW, "Pow", x=v(1e20), y=v(2))
    case(OVERFLOW, "Pow", x=v(1e-20), y=v(-2))
    case("cast_overflow", "Cast", x=v(1e5), DstT=tf.float16)
    for name, value in (("Acos", 2), ("Asin", 2), ("Acosh", 0), ("Atanh", 1), ("Digamma", 0), ("Lgamma", 0)):
        case(DOMAIN, name, x=v(value))
    for name, value in (("Erfinv", 1), ("Ndtri", 0), ("Spence", -1), ("Expint", 0), ("Sin", inf), ("Cos", inf)):
        case(DOMAIN, name, x=v(value))
    for name in ("BesselK0", "BesselK1", "BesselY0", "BesselY1", "BesselK0e", "BesselK1e"):
        case(DOMAIN, name, x=v(0))
    case(OVERFLOW, "Lgamma", x=v(1e38))
    for name in ("Igamma", "Igammac", "IgammaGradA"):
        case(DOMAIN, name, a=v(-1), x=v(1))
    case(DOMAIN, "Igamma", a=v(1), x=v(-1))
    case(DOMAIN, "Zeta", x=v(1), q=v(1))
    case(DOMAIN, "Zeta", x=v(2), q=v(-1))
    case(DOMAIN, "Polygamma", a=v(1), x=v(0))
    case(DOMAIN, "Betainc", a=v(1), b=v(1), x=v(2))
    case(DOMAIN, "RandomGamma", shape=[1], alpha=v(-1))
    case(OUTSIDE, "StringToNumber", string_tensor=["inf"])


def softmaxes() -> None:
    masked = f([[-inf, -inf]])
    case(MASKED, "Softmax", logits=masked)
    case(MASKED, "LogSoftmax", logits=masked)
    case(CANCEL, "Softmax", logits=f([[inf, 0]]))
    case(OVERFLOW, "LogSoftmax", logits=f([[big, -big]]))
    labels = f([[0.0, 1.0]])
    case(MASKED, "SoftmaxCrossEntropyWithLogits", features=masked, labels=labels)
    case(TIMES, "SoftmaxCrossEntropyWithLogits", features=f([[-inf, 0]]), labels=labels)
    case(OVERFLOW, "SoftmaxCrossEntropyWithLogits", features=f([[big, -big]]), labels=labels)
    case(OVERFLOW, "SparseSoftmaxCrossEntropyWithLogits", features=f([[big, -big]]), labels=[1])


def normalisations() -> None:
    def given(x: Any, variance: Any = None, epsilon: float = 0.0) -> dict[str, Any]:
        empty = tf.zeros([0])
        mean = empty if variance is None else v(0)
        kept = {"scale": v(1), "offset": v(0), "epsilon": epsilon, "is_training": variance is None}
        return {"x": x, "mean": mean, "variance": empty if variance is None else v(variance), **kept}

    for name in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
        case(DIVISION, name, **given(grid(4, 1, 1)))
        case(DIVISION, name, **given(grid(4, 1), variance=0.0))
        case(ROOT, name, **given(grid(4, 1), variance=-1.0))
        case(OVERFLOW, name, **given(grid(4, 1e30, -1e30), epsilon=1e-3))
        case(NOTHING, name, **given(tf.zeros([0, 1, 1, 1]), epsilon=1e-3))
        seen = {f"reserve_space_{k}": v(0) for k in range(1, 4 if name.endswith("V3") else 3)}
        gradient = name.replace("Norm", "NormGrad")
        one = grid(4, 1, 1)
        case(DIVISION, gradient, y_backprop=one, x=one, scale=v(1), epsilon=0.0, is_training=True, **seen)


def reductions() -> None:
    for name in ("Mean", "Max", "Min"):
        case(NOTHING, name, input=tf.zeros([0]), axis=0)


def matrices() -> None:
    zero, ones = f([[0.0, 0], [0, 0]]), f([[1.0, 1], [1, 1]])
    case(MATRIX, "MatrixTriangularSolve", matrix=zero, rhs=f([[1.0], [1]]))
    case(MATRIX, "LogMatrixDeterminant", input=ones)
    case(MATRIX, "MatrixLogarithm", input=tf.constant([[0j]], tf.complex64))
    case(MATRIX, "MatrixSquareRoot", input=f([[0.0, 1], [0, 0]]))
    case(MATRIX, "TridiagonalSolve", diagonals=f([[0.0], [0], [0]]), rhs=f([[1.0]]))
    case(MATRIX, "Cholesky", input=f([[1.0, 2], [2, 1]]))
    case(MATRIX, "CholeskyGrad", l=f([[0.0]]), grad=f([[1.0]]))
    case(DOMAIN, "Svd", input=f([[inf]]))


for fill in (sums, segments, sparse, products, convolutions, pools, quotients):
    fill()
for fill in (functions, softmaxes, normalisations, reductions, matrices):
    fill()
