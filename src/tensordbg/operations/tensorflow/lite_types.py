"""The operations of LiteRT (TensorFlow Lite) by those of TensorFlow that compute the same, fused activations apart."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TYPES: Mapping[str, str] = MappingProxyType({
    "ABS": "Abs", "ADD": "AddV2", "ADD_N": "AddN", "ARG_MAX": "ArgMax", "ARG_MIN": "ArgMin",
    "AVERAGE_POOL_2D": "AvgPool",
    "BATCH_MATMUL": "BatchMatMulV2", "BROADCAST_TO": "BroadcastTo", "CAST": "Cast", "CEIL": "Ceil",
    "CONCATENATION": "ConcatV2", "CONV_2D": "Conv2D", "CONV_3D": "Conv3D", "COS": "Cos", "CUMSUM": "Cumsum",
    "DEPTHWISE_CONV_2D": "DepthwiseConv2dNative", "DIV": "RealDiv", "ELU": "Elu", "EQUAL": "Equal", "EXP": "Exp",
    "EXPAND_DIMS": "ExpandDims", "FILL": "Fill", "FLOOR": "Floor", "FLOOR_DIV": "FloorDiv", "FLOOR_MOD": "FloorMod",
    "FULLY_CONNECTED": "MatMul", "GATHER": "GatherV2", "GATHER_ND": "GatherNd", "GREATER": "Greater",
    "GREATER_EQUAL": "GreaterEqual", "LEAKY_RELU": "LeakyRelu", "LESS": "Less", "LESS_EQUAL": "LessEqual", "LOG": "Log",
    "LOGISTIC": "Sigmoid", "LOG_SOFTMAX": "LogSoftmax", "MAXIMUM": "Maximum", "MAX_POOL_2D": "MaxPool", "MEAN": "Mean",
    "MINIMUM": "Minimum", "MUL": "Mul", "NEG": "Neg", "NOT_EQUAL": "NotEqual", "ONE_HOT": "OneHot", "PACK": "Pack",
    "PAD": "Pad", "PADV2": "PadV2", "POW": "Pow", "RANGE": "Range", "REDUCE_MAX": "Max", "REDUCE_MIN": "Min",
    "REDUCE_PROD": "Prod", "RELU": "Relu", "RELU6": "Relu6", "RESHAPE": "Reshape", "RSQRT": "Rsqrt",
    "SELECT": "Select", "SELECT_V2": "SelectV2", "SHAPE": "Shape", "SIN": "Sin", "SLICE": "Slice",
    "SOFTMAX": "Softmax", "SPLIT": "Split", "SPLIT_V": "SplitV", "SQRT": "Sqrt", "SQUARE": "Square",
    "SQUARED_DIFFERENCE": "SquaredDifference", "SQUEEZE": "Squeeze", "STRIDED_SLICE": "StridedSlice", "SUB": "Sub",
    "SUM": "Sum", "TANH": "Tanh", "TILE": "Tile", "TOPK_V2": "TopKV2", "TRANSPOSE": "Transpose",
    "TRANSPOSE_CONV": "Conv2DBackpropInput", "UNPACK": "Unpack",
})  # fmt: skip
"""Types that stand nowhere here keep their own names."""
