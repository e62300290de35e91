"""Which outputs of which operations are not checked: the tables of TensorFlow's own checker."""

from __future__ import annotations

from tensordbg.backends.tensorflow import definition as fd

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
