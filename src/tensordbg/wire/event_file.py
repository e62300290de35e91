"""A graph as an event file, which TensorBoard's Graphs page opens.

An event file is a TFRecord file of Event messages (tensorflow/core/util/event.proto).
"""

from __future__ import annotations

import struct

from tensordbg.trace.graphs.checksums import masked_checksum
from tensordbg.trace.graphs.protobuf import bytes_field, fixed64_field

_WALL_TIME, _FILE_VERSION, _GRAPH = 1, 3, 4


def event_file(graph: bytes, seconds: float) -> bytes:
    """An event file that holds one graph.

    Args:
        graph: A GraphDef message.
        seconds: Since 1970; TensorBoard shows it as the time of the run.
    """
    time = fixed64_field(_WALL_TIME, struct.pack("<d", seconds))
    return record(time + bytes_field(_FILE_VERSION, "brain.Event:2")) + record(time + bytes_field(_GRAPH, graph))


def event_file_name(seconds: float) -> str:
    """A name by which TensorBoard knows an event file."""
    return f"events.out.tfevents.{int(seconds):010d}.tensordbg"


def record(data: bytes) -> bytes:
    """One message as a record of an event file, with its checksums."""
    length = struct.pack("<Q", len(data))
    return b"".join(
        (length, struct.pack("<I", masked_checksum(length)), data, struct.pack("<I", masked_checksum(data)))
    )
