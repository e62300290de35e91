"""Operations that only move numbers: what of theirs is bad was made by something else.

They are more than those that `kinds.REARRANGING` follows back to their first input: also what keeps tensors in lists,
and what hands them from turn to turn of a loop.
"""

from __future__ import annotations

from tensordbg.analysis.kinds import REARRANGING

_MOVING = REARRANGING | frozenset(
    {
        "BatchToSpace",
        "BatchToSpaceND",
        "Concat",
        "ConjugateTranspose",
        "Copy",
        "CopyHost",
        "DebugIdentity",
        "DebugIdentityV2",
        "DeepCopy",
        "DepthToSpace",
        "DynamicStitch",
        "Enter",
        "Exit",
        "ExtractImagePatches",
        "Fill",
        "Gather",
        "MatrixBandPart",
        "Merge",
        "MirrorPad",
        "NextIteration",
        "ParallelConcat",
        "ParallelDynamicStitch",
        "RefEnter",
        "RefExit",
        "RefIdentity",
        "RefMerge",
        "RefNextIteration",
        "RefSwitch",
        "ResourceGatherNd",
        "Reverse",
        "ReverseSequence",
        "Roll",
        "SpaceToBatch",
        "SpaceToBatchND",
        "SpaceToDepth",
        "StackPop",
        "StackPopV2",
        "Switch",
        "TensorScatterUpdate",
    }
)
_MOVING_PREFIXES = ("MatrixDiag", "MatrixSetDiag", "Optional", "TensorArray", "TensorList", "TensorMap")


def moves(op_type: str) -> bool:
    """Whether an operation hands on elements that it is given, and no number of its own but a filling."""
    return op_type in _MOVING or op_type.startswith(_MOVING_PREFIXES)
