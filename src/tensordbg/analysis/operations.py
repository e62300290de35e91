"""What is known of TensorFlow's operations by their type: the only place where the data flow asks for a type's name."""

from __future__ import annotations

from tensordbg.model import Site
from tensordbg.trace.calls import PIPELINE_MAKER

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
        "RefIdentity",
        "RefSwitch",
        "Reshape",
        "Snapshot",
        "Squeeze",
        "StopGradient",
        "Switch",
        "Transpose",
    }
)
"""Output k holds the elements of input k (of input 0, but for `IdentityN`), whatever their order and shape."""

INPUT = "Input"
"""The type of the site of a value that came in from Python."""

_TAKES_FROM_PIPELINE = ("GetNext", "OptionalGetValue", "ReduceDataset", "UncompressElement")
"""Words in the types of operations that take a batch, or a result, out of an input pipeline.

Keras steps through a pipeline by optionals: whether there is a next batch is known when it is there.
"""

COMPARISONS = frozenset(
    {
        "ApproximateEqual",
        "ArgMax",
        "ArgMin",
        "Bincount",
        "Bucketize",
        "Cast",
        "Equal",
        "Greater",
        "GreaterEqual",
        "InTopK",
        "InTopKV2",
        "Less",
        "LessEqual",
        "LowerBound",
        "NotEqual",
        "TopKV2",
        "UpperBound",
    }
)
"""They make booleans or whole numbers of the values of numbers, among them NaN; `Cast` and `TopKV2` may."""

POSITIONS = frozenset({"ArgMax", "ArgMin", "Bucketize", "Cast", "LowerBound", "TopKV2", "UpperBound"})
"""Of `COMPARISONS` those that make positions, or whole numbers that may serve as such."""

CHECKS = frozenset({"IsFinite", "IsInf", "IsNan"})
"""They ask whether something is bad."""

TEXTS = frozenset(
    {
        "AsString", "AudioSummary", "AudioSummaryV2", "EncodeProto", "EncodeWav", "HistogramSummary", "ImageSummary",
        "ScalarSummary", "SerializeTensor", "StringFormat", "TensorSummary", "TensorSummaryV2",
    }
)  # fmt: skip
"""They write numbers as text: who has it made has read them."""

CHOICES = frozenset({"Select", "SelectV2"})
"""Input 0 chooses between the others, element by element."""

LOOK_UPS = frozenset({"Gather", "GatherNd", "GatherV2"})
"""Input 1 tells which elements of input 0 are given."""

INDICES = {
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
"""By type the inputs that tell which elements are taken or put, or where."""

DIVISIONS = frozenset({"Div", "DivNoNan", "FloorDiv", "FloorMod", "Mod", "RealDiv", "TruncateDiv", "Xdivy"})
"""Input 0 is divided by input 1."""

STRICT = frozenset({"Add", "AddV2", "Mul", "Neg", "RealDiv", "Sub"})
"""A NaN in any of their inputs is one in their output. Where the framework regroups, it regroups these."""

CALLBACKS = frozenset({"EagerPyFunc", "PyFunc", "PyFuncStateless"})
"""Operations by which a graph calls a Python function."""

OUTSIDE = frozenset(
    {
        INPUT,
        "DecodeCSV",
        "DecodePaddedRaw",
        "DecodeRaw",
        "EagerPyFunc",
        "LookupTableFind",
        "LookupTableFindV2",
        "MapUnstage",
        "ParseExample",
        "ParseExampleV2",
        "ParseSequenceExample",
        "ParseSequenceExampleV2",
        "ParseSingleExample",
        "ParseSingleSequenceExample",
        "ParseTensor",
        "Placeholder",
        "PyFunc",
        "PyFuncStateless",
        "QueueDequeueManyV2",
        "QueueDequeueUpToV2",
        "QueueDequeueV2",
        "RestoreV2",
        "StringToNumber",
        "Unstage",
    }
)
"""What they give came in from outside of the recorded program."""

INCREMENTAL_WRITES = (
    "Apply",
    "AssignAdd",
    "AssignSub",
    "ResourceApply",
    "ResourceScatter",
    "ResourceSparseApply",
    "ResourceStridedSliceAssign",
    "Scatter",
    "SparseApply",
)
"""Beginnings of the types of operations whose new value depends on the old one."""

WRITES = ("Assign", "ResourceApply", "ResourceScatter", "ResourceSparseApply", "ResourceStridedSliceAssign")
"""Beginnings of the types of operations that change the variables whose handles they take."""

READS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableV2"})
"""Operations whose output is what a variable holds, even where the recorder could not tell which."""


def reads_variables(site: Site) -> bool:
    """Whether an operation puts out what a variable holds, known or not."""
    return bool(site.reads) or reads_type(site.op_type)


def reads_type(op_type: str) -> bool:
    """Whether all operations of a type put out what a variable holds."""
    return op_type in READS


def writes_variables(site: Site) -> bool:
    """Whether an operation changes variables, known or not."""
    return bool(site.writes) or site.op_type.startswith(WRITES)


def makes_pipeline(op_type: str) -> bool:
    """Whether operations of a type make a stage of an input pipeline, or what its batches are handed on in."""
    return PIPELINE_MAKER in op_type or op_type == "OptionalFromValue"


def takes_from_pipeline(op_type: str) -> bool:
    """Whether operations of a type take a batch, or a result, out of an input pipeline."""
    return any(word in op_type for word in _TAKES_FROM_PIPELINE)
