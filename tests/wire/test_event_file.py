from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from tensordbg.trace.graphs.graphdef import GraphDefMessage, GraphDefNode
from tensordbg.wire.event_file import event_file, event_file_name


def test_tensorflow_reads_it(tmp_path: Path) -> None:
    graph = GraphDefMessage((GraphDefNode("x", "Placeholder"), GraphDefNode("y", "Log", ("x",)))).encode()
    path = tmp_path / event_file_name(1.75e9)
    path.write_bytes(event_file(graph, 1.75e9))
    assert path.name == "events.out.tfevents.1750000000.tensordbg"
    first, second = tf.compat.v1.train.summary_iterator(str(path))
    assert (first.file_version, second.wall_time, second.graph_def) == ("brain.Event:2", 1.75e9, graph)
