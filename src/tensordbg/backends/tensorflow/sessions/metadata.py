"""Takes our nodes out of the metadata of a run that the program asked for: its trace and its partitioned graphs."""

from __future__ import annotations

from typing import Any

_COPY = "__copy_"
_WATCH = "__dbg_"


def without_watches(serialized: bytes) -> bytes:
    """A serialized RunMetadata as it would be had nothing been watched.

    Args:
        serialized: The message as the runtime gave it.
    """
    import tensorflow as tf  # imported by the program already

    metadata = tf.compat.v1.RunMetadata.FromString(serialized)
    for device in metadata.step_stats.dev_stats:
        _keep(device.node_stats, lambda stats: not _is_ours(stats.node_name))
    for graph in metadata.partition_graphs:
        _unwatch(graph)
    return bytes(metadata.SerializeToString())


def _is_ours(name: str) -> bool:
    return name.startswith((_COPY, _WATCH))


def _keep(messages: Any, wanted: Any) -> None:
    kept = [message for message in messages if wanted(message)]
    if len(kept) != len(messages):
        del messages[:]
        messages.extend(kept)


def _unwatch(graph: Any) -> None:
    """Has each node take the tensor itself instead of its copy, and drops copies and watches."""
    source = {node.name: node.input[0] for node in graph.node if node.name.startswith(_COPY)}
    for node in graph.node:
        kept = [source.get(name.partition(":")[0], name) for name in node.input if not name.startswith("^" + _WATCH)]
        if kept != list(node.input):
            del node.input[:]
            node.input.extend(kept)
    _keep(graph.node, lambda node: not _is_ours(node.name))
