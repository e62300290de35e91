"""What is known of TensorFlow's operations by their type: the only place where the data flow asks for a type's name."""

from __future__ import annotations

VALUE_FREE = frozenset(
    {
        "BroadcastGradientArgs",
        "EmptyTensorList",
        "OnesLike",
        "Rank",
        "Shape",
        "ShapeN",
        "Size",
        "TensorListElementShape",
        "TensorListLength",
        "ZerosLike",
    }
)
"""Their output does not depend on the values of their inputs, only on shapes: nothing bad passes through."""

PASSING = frozenset(
    {
        "CheckNumerics",
        "CheckNumericsV2",
        "DebugGradientIdentity",
        "EnsureShape",
        "ExpandDims",
        "Identity",
        "IdentityN",
        "PlaceholderWithDefault",
        "PreventGradient",
        "Reshape",
        "Snapshot",
        "Squeeze",
        "StopGradient",
        "Transpose",
    }
)
"""Output k holds the elements of input k (of input 0, but for `IdentityN`), whatever their order and shape."""

INPUT = "Input"
"""The type of the site of a value that came in from Python."""

SOURCES = frozenset({"Const", INPUT, "Placeholder"})
"""They compute nothing: their value was given."""

INCREMENTAL_WRITES = (
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "ResourceApply",
    "ResourceScatter",
    "ResourceSparseApply",
    "ResourceStridedSliceAssign",
)
"""Beginnings of the types of operations whose new value depends on the old one."""

READS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableV2"})
"""Operations whose output is what a variable holds, even where the recorder could not tell which."""
