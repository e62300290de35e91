"""TensorFlow's types that put tensors into what holds them between runs, or take them out."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PUTS: Mapping[str, str] = MappingProxyType(
    {
        "AccumulatorApplyGradient": "accumulator",
        "BarrierInsertMany": "barrier",
        "LookupTableImportV2": "table",
        "LookupTableInsertV2": "table",
        "MapStage": "map of staged tensors",
        "OrderedMapStage": "map of staged tensors",
        "QueueEnqueueManyV2": "queue",
        "QueueEnqueueV2": "queue",
        "ResourceAccumulatorApplyGradient": "accumulator",
        "SparseAccumulatorApplyGradient": "accumulator",
        "Stage": "staging area",
        "TensorArrayScatterV3": "tensor array",
        "TensorArraySplitV3": "tensor array",
        "TensorArrayWriteV3": "tensor array",
    }
)
"""What a type puts tensors into, in words."""

TAKES: Mapping[str, str] = MappingProxyType(
    {
        "AccumulatorTakeGradient": "accumulator",
        "BarrierTakeMany": "barrier",
        "LookupTableExportV2": "table",
        "LookupTableFindV2": "table",
        "MapUnstage": "map of staged tensors",
        "MapUnstageNoKey": "map of staged tensors",
        "OrderedMapUnstage": "map of staged tensors",
        "QueueDequeueManyV2": "queue",
        "QueueDequeueUpToV2": "queue",
        "QueueDequeueV2": "queue",
        "ResourceAccumulatorTakeGradient": "accumulator",
        "SparseAccumulatorTakeGradient": "accumulator",
        "StagePeek": "staging area",
        "TensorArrayConcatV3": "tensor array",
        "TensorArrayGatherV3": "tensor array",
        "TensorArrayReadV3": "tensor array",
        "Unstage": "staging area",
    }
)
"""What it takes them out of."""
