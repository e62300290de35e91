"""Snapshots of pipelines (`Dataset.snapshot`) are written to, and read from, the folders in which they lie without us.

TensorFlow names such a folder by a hash of the graph before it, functions included. With our probes in them a snapshot
that the program has would not be found, and be computed once more. So TensorFlow is told the hash of the graph without
them, which it gives itself where the same dataset is made of the functions as they were.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import snapshot_op
from tensordbg.backends.tensorflow.own_frames import unseen

_SNAPSHOT = "SnapshotDatasetV2"


@cache
def see_snapshots() -> None:
    """Has snapshots named as without us, from now on, for the life of the process."""
    plain = snapshot_op.ged_ops.snapshot_dataset_v2

    def snapshot_dataset(dataset: Any, *args: Any, **kwargs: Any) -> Any:
        def snapshot_of(variant: Any) -> Any:
            return plain(variant, *args, **kwargs)

        return plain(dataset, *args, **kwargs, **_hash_without_us(dataset, snapshot_of))

    snapshot_op.ged_ops.snapshot_dataset_v2 = unseen(snapshot_dataset)


def _hash_without_us(dataset: Any, snapshot_of: Callable[[Any], Any]) -> Mapping[str, Any]:
    """The attributes that say which hash a snapshot has; none where TensorFlow finds out by itself."""
    if not tf.executing_eagerly():
        return {}
    # Of a dataset that can't be written down the snapshot is a new one, which is what it is for.
    with contextlib.suppress(Exception), hooks().entries.bypass():
        graph = _graph_of(dataset)
        if _put_originals_into(graph):
            original = snapshot_of(tf.raw_ops.DatasetFromGraph(graph_def=graph.SerializeToString()))
            # A snapshot of which it is one itself stands before it.
            node = [node for node in _graph_of(original).node if node.op == _SNAPSHOT][-1]
            return {"hash_valid": True, "hash": node.attr["hash"].i}
    return {}


def _graph_of(dataset: Any) -> Any:
    ignore = tf.data.experimental.ExternalStatePolicy.IGNORE.value
    graph = tf.raw_ops.DatasetToGraphV2(input_dataset=dataset, external_state_policy=ignore)
    return tf.compat.v1.GraphDef.FromString(graph.numpy())


def _put_originals_into(graph: Any) -> bool:
    """Gives a graph its functions as they were without us; whether one of them was another."""
    changed = False
    for function in graph.library.function:
        original = hooks().functions.plain_definition(function.signature.name)
        if original is not None:
            function.CopyFrom(original)
            changed = True
    return changed
