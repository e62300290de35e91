"""TensorFlow's types that hand on, choose or reshape what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.tensorflow.words import names, words
from tensordbg.operations.traits import Trait

MOVING: Mapping[Trait, frozenset[str]] = MappingProxyType(
    {
        Trait.PASSES: names(
            """
            CheckNumerics CheckNumericsV2 DebugGradientIdentity EnsureShape ExpandDims Identity IdentityN
            PlaceholderWithDefault PreventGradient RefIdentity RefSwitch Reshape Snapshot Squeeze StopGradient Switch
            Transpose
            """
        ),
        Trait.HANDS_ON: names("Identity IdentityN PlaceholderWithDefault PreventGradient Snapshot StopGradient"),
        Trait.SHAPED_BY_NUMBERS: names(
            """
            BroadcastTo Empty Fill LinSpace Multinomial ParameterizedTruncatedNormal Range TensorListStack
            TruncatedNormal
            """
        ),
        Trait.REARRANGES: names(
            """
            BroadcastTo ConcatV2 DynamicPartition GatherNd GatherV2 Pack Pad PadV2 ResourceGather ReverseV2 Slice Split
            SplitV StridedSlice Tile Unpack
            """
        ),
        Trait.MOVES: names(
            """
            BatchToSpace BatchToSpaceND Concat ConjugateTranspose Copy CopyHost DebugIdentity DebugIdentityV2 DeepCopy
            DepthToSpace DynamicStitch Enter Exit ExtractImagePatches Fill Gather MatrixBandPart Merge MirrorPad
            NextIteration ParallelConcat ParallelDynamicStitch RefEnter RefExit RefMerge RefNextIteration
            ResourceGatherNd Reverse ReverseSequence Roll SpaceToBatch SpaceToBatchND SpaceToDepth StackPop StackPopV2
            TensorScatterUpdate
            """
        ),
        Trait.NO_LARGER: names(
            """
            Abs ConcatV2 GatherNd GatherV2 Max Maximum Min Minimum Neg Pack Pad PadV2 Relu Relu6 ReluGrad ResourceGather
            Select SelectV2 Slice Softsign SoftsignGrad Split StridedSlice Tile Unpack
            """
        ),
        Trait.LIGHT: names(
            """
            Add AddV2 Cast ClipByValue Div DivNoNan Exp Inv Max Maximum Mean Min Minimum Mul MulNoNan Neg Pow Prod
            RealDiv Reciprocal Select SelectV2 Sqrt Square Sub Sum
            """
        ),
        Trait.SHAPE_ONLY: names(
            """
            BroadcastGradientArgs EmptyTensorList OnesLike Rank Shape ShapeN Size TensorListElementShape
            TensorListLength ZerosLike
            """
        ),
        Trait.LOOKS_UP: names("Gather GatherNd GatherV2"),
        Trait.CHOOSES: names("Select SelectV2"),
    }
)

BEGINNINGS: Mapping[Trait, tuple[str, ...]] = MappingProxyType(
    {
        Trait.MOVES: ("MatrixDiag", "MatrixSetDiag", "Optional", "TensorArray", "TensorList", "TensorMap"),
        Trait.SHAPED_BY_NUMBERS: words(
            """
            RandomGamma RandomPoisson RandomStandardNormal RandomUniform StatefulRandomBinomial StatefulStandardNormal
            StatefulTruncatedNormal StatefulUniform StatelessMultinomial StatelessParameterizedTruncatedNormal
            StatelessRandom StatelessTruncatedNormal
            """
        ),
    }
)
