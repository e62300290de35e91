"""Writes the graph of a function into a file: a GraphDef, as bytes or as text, or an event file in a folder."""

from __future__ import annotations

import struct
import time
from dataclasses import dataclass
from pathlib import Path

from tensordbg.errors import TraceError, UsageError
from tensordbg.wire.event_file import event_file, event_file_name
from tensordbg.wire.graphdef import ExportedGraph
from tensordbg.wire.pbtxt import graph_text


@dataclass(frozen=True)
class WrittenGraph:
    """The graph that was written."""

    path: Path
    whole: bool
    """Whether it can be imported; else it can only be looked at."""
    nodes: int


def write_graph(graph: ExportedGraph, target: Path) -> WrittenGraph:
    """Writes a graph.

    Args:
        graph: What is to be written.
        target: A name that ends in `.pb` for a GraphDef, in `.pbtxt` for one as text; any other is a folder, in which
            an event file for TensorBoard is made.

    Raises:
        UsageError: If the file is there already, or can't be written.
        TraceError: If the trace's graph can't be written as text, since it is damaged.
    """
    now = time.time()
    if target.suffix == ".pb":
        path, data = target, graph.message
    elif target.suffix == ".pbtxt":
        path, data = target, _text(graph.message)
    else:
        path, data = target / event_file_name(now), event_file(graph.message, now)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise UsageError(f"{path}: is there already, and nothing is overwritten; choose another name") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"{path}: can't be written ({why}); choose another place") from error
    return WrittenGraph(path, graph.whole, graph.nodes)


def _text(message: bytes) -> bytes:
    try:
        return graph_text(message).encode()
    except (ValueError, struct.error) as error:
        raise TraceError(f"the graph is damaged ({error}); write it as .pb, or record again") from error
