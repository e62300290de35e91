"""The metadata of a recorded run is that of a plain one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.sessions.metadata import without_watches
from tests.backends.tensorflow.recorded import record

v1 = tf.compat.v1


def traced_run() -> Any:
    """The metadata of a run whose trace and partitioned graphs were asked for."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [4], name="x")
        parts = tf.split(x, 2, name="parts")
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer(), use_resource=False)
        result = tf.concat([v1.assign_add(v, parts[0]), tf.exp(parts[1])], 0, name="result")
        session.run(v.initializer)
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
        metadata = v1.RunMetadata()
        session.run(result, {x: np.ones(4)}, options=options, run_metadata=metadata)
        return metadata


def nodes(metadata: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    """Name, type and inputs of each node of the partitioned graphs."""
    return sorted((node.name, node.op, tuple(node.input)) for graph in metadata.partition_graphs for node in graph.node)


def ran(metadata: Any) -> list[str]:
    """Names of the nodes in the trace."""
    return sorted(stats.node_name for device in metadata.step_stats.dev_stats for stats in device.node_stats)


def test_a_recorded_runs_metadata_hold_nothing_of_ours(tmp_path: Path) -> None:
    seen: list[Any] = []
    recorded = record(tmp_path, lambda: seen.append(traced_run()))
    plain = traced_run()
    assert len(recorded.of("parts")) == 2
    assert nodes(seen[0]) == nodes(plain)
    assert ran(seen[0]) == ran(plain)


def test_what_was_not_watched_stays_the_same() -> None:
    plain = traced_run()
    assert nodes(v1.RunMetadata.FromString(without_watches(plain.SerializeToString()))) == nodes(plain)


def test_a_consumer_takes_the_tensor_again_instead_of_its_copy() -> None:
    metadata = v1.RunMetadata()
    graph = metadata.partition_graphs.add()
    graph.node.add(name="a", op="Split")
    graph.node.add(name="__copy_a_1", op="Copy", input=["a:1"])
    graph.node.add(name="__dbg_a:1_0_TensordbgWatch", op="TensordbgWatch", input=["__copy_a_1"])
    graph.node.add(name="b", op="Add", input=["__copy_a_1", "a", "^__dbg_a:1_0_TensordbgWatch", "^c"])
    cleaned = v1.RunMetadata.FromString(without_watches(metadata.SerializeToString()))
    assert nodes(cleaned) == [("a", "Split", ()), ("b", "Add", ("a:1", "a", "^c"))]
