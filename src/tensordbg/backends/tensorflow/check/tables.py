"""Which outputs of which operations are not checked: the tables of TensorFlow's own checker, and one of ours."""

from __future__ import annotations

from tensordbg.backends.tensorflow.functions import definition as fd

SKIPPED = frozenset(
    {
        "Enter", "Exit", "Identity", "If", "LoopCond", "Merge", "NextIteration", "StatelessIf",
        "StatefulPartitionedCall", "Switch", "While", "RemoteCall", "TPUReplicatedInput", "TPUReplicateMetadata",
        "TPUCompilationResult", "TPUReplicatedOutput", "ConfigureDistributedTPU", "DestroyResourceOp",
    }
)  # fmt: skip
"""Operations whose outputs are no numbers, or were seen already."""

SAFE = frozenset(
    {
        "Concat", "ConcatV2", "ExpandDims", "Fill", "Gather", "Maximum", "Minimum", "Reshape", "Slice", "Squeeze",
        "Stack", "StridedSlice", "StridedSliceGrad", "TensorListConcatV2", "TensorListGather", "TensorListGetItem",
        "TensorListPopBack", "TensorListStack", "Transpose", "Unpack",
    }
)  # fmt: skip
"""Operations that put out nothing but elements of their inputs."""

BOUNDED = frozenset(
    {
        "Abs", "BroadcastTo", "Ceil", "ClipByValue", "Erfc", "Floor", "GatherV2", "MirrorPad", "Neg", "OnesLike",
        "Pack", "Pad", "Relu", "Relu6", "ReverseV2", "Rint", "Roll", "Round", "Select", "SelectV2", "Sigmoid", "Sign",
        "Split", "SplitV", "Tanh", "Tile", "ZerosLike",
    }
)  # fmt: skip
"""Operations that make nothing bad of finite numbers, and no NaN of an infinity that was let pass: they need no look
where all that they take in was looked at. Not Erf: TensorFlow's makes a NaN of a float64 above 1e154."""

IGNORED_OUTPUTS = frozenset(
    (op_type, slot)
    for op_type, slots in {
        "FusedBatchNorm": range(1, 5),
        "FusedBatchNormV2": range(1, 5),
        "FusedBatchNormV3": range(1, 6),
    }.items()
    for slot in slots
)
"""The statistics of a batch normalization: NaN where the batch is empty, and then of no use."""

UNCHECKED = SKIPPED | SAFE | fd.UNPROBED
"""Operations none of whose outputs is checked."""


def is_checked(op_type: str, slot: int) -> bool:
    """Whether an output of an operation is checked, if it can hold a NaN or an infinity."""
    return op_type not in UNCHECKED and (op_type, slot) not in IGNORED_OUTPUTS
