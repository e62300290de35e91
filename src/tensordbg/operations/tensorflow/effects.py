"""TensorFlow's types that look at numbers, or reach out of the graph: variables, pipelines, files and Python."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.tensorflow.words import names, words
from tensordbg.operations.traits import Trait

EFFECTS: Mapping[Trait, frozenset[str]] = MappingProxyType(
    {
        Trait.COMPARES: names(
            """
            ApproximateEqual ArgMax ArgMin Bincount Bucketize Cast Equal Greater GreaterEqual InTopK InTopKV2 Less
            LessEqual LowerBound NotEqual TopKV2 UpperBound
            """
        ),
        Trait.GIVES_POSITIONS: names("ArgMax ArgMin Bucketize Cast LowerBound TopKV2 UpperBound"),
        Trait.TESTS_FINITE: names("IsFinite IsInf IsNan"),
        Trait.WRITES_TEXT: names(
            """
            AsString AudioSummary AudioSummaryV2 EncodeProto EncodeWav HistogramSummary ImageSummary ScalarSummary
            SerializeTensor StringFormat TensorSummary TensorSummaryV2
            """
        ),
        Trait.FROM_OUTSIDE: names(
            """
            DecodeCSV DecodePaddedRaw DecodeRaw EagerPyFunc LookupTableFind LookupTableFindV2 MapUnstage ParseExample
            ParseExampleV2 ParseSequenceExample ParseSequenceExampleV2 ParseSingleExample ParseSingleSequenceExample
            ParseTensor Placeholder PyFunc PyFuncStateless QueueDequeueManyV2 QueueDequeueUpToV2 QueueDequeueV2
            RestoreV2 StringToNumber Unstage
            """
        ),
        Trait.FROM_SERVICE: names("UncompressElement"),
        Trait.MAKES_PIPELINE: names("OneShotIterator OptionalFromValue"),
        Trait.CALLS_TOGETHER: names(
            """
            LegacyParallelInterleaveDatasetV2 MapAndBatchDataset ParallelFilterDataset ParallelInterleaveDataset
            ParallelInterleaveDatasetV2 ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV4 ParallelMapDataset
            ParallelMapDatasetV2
            """
        ),
        Trait.PADS_BATCHES: names("PaddedBatchDataset PaddedBatchDatasetV2"),
        Trait.CALLS_PYTHON: names("EagerPyFunc PyFunc PyFuncStateless"),
        Trait.PUTS_IN_PLACE: names(
            """
            ResourceScatterNdUpdate ResourceScatterUpdate ResourceStridedSliceAssign ScatterNdUpdate ScatterUpdate
            """
        ),
        Trait.READS: names("ReadVariableOp ResourceGather ResourceGatherNd VariableV2"),
        Trait.READS_PARTS: names("ResourceGather ResourceGatherNd"),
    }
)

BEGINNINGS: Mapping[Trait, tuple[str, ...]] = MappingProxyType(
    {
        Trait.WRITES: words("Assign ResourceApply ResourceScatter ResourceSparseApply ResourceStridedSliceAssign"),
        Trait.VARIES: words(
            """
            Random StatelessRandom Multinomial Truncated Parameterized PyFunc EagerPyFunc Iterator
            """
        ),
        Trait.STANDS_ALONE: words(
            """
            Barrier Enter Exit IteratorGetNext Lookup LoopCond Merge Multinomial NextIteration
            ParameterizedTruncatedNormal Placeholder PyFunc Queue Random Read Stack Stateful Switch TensorArray
            TruncatedNormal Var
            """
        ),
        Trait.FROM_SERVICE: ("DataServiceDataset",),
        Trait.BUILDS_ON_OLD: words(
            """
            Apply AssignAdd AssignSub ResourceApply ResourceScatter ResourceSparseApply ResourceStridedSliceAssign
            Scatter SparseApply
            """
        ),
    }
)

WORDS: Mapping[Trait, tuple[str, ...]] = MappingProxyType(
    {
        # Keras steps through a pipeline by optionals: whether there is a next batch is known when it is there.
        Trait.FROM_PIPELINE: words("GetNext OptionalGetValue ReduceDataset UncompressElement"),
        Trait.MAKES_PIPELINE: ("Dataset",),
        Trait.OF_PIPELINES: words("Dataset GetNext Iterator Optional"),
    }
)
"""What stands somewhere in a type."""
