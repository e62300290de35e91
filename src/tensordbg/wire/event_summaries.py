"""Numbers and texts as an event file, which TensorBoard's Scalars and Text pages open.

The messages are those of tensorflow/core/framework/summary.proto, inside of tensorflow/core/util/event.proto.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from tensordbg.trace.graphs.protobuf import bytes_field, fixed64_field, integer_field
from tensordbg.wire.event_file import record

_DOUBLE, _STRING = 2, 7
"""Types of tensors."""


@dataclass(frozen=True)
class Summary:
    """One number or text of a step."""

    step: int
    value: bytes
    """The message `Summary.Value`."""


def scalar(tag: str, number: float, step: int) -> Summary:
    """A point of a curve."""
    tensor = integer_field(1, _DOUBLE) + bytes_field(2, b"") + bytes_field(6, struct.pack("<d", number))
    return Summary(step, bytes_field(1, tag) + bytes_field(9, _shown_by("scalars")) + bytes_field(8, tensor))


def text(tag: str, markdown: str, step: int) -> Summary:
    """A text in Markdown."""
    tensor = integer_field(1, _STRING) + bytes_field(2, b"") + bytes_field(8, markdown)
    return Summary(step, bytes_field(1, tag) + bytes_field(9, _shown_by("text")) + bytes_field(8, tensor))


def summaries_file(summaries: Iterable[Summary], seconds: float) -> bytes:
    """An event file that holds them.

    Args:
        summaries: In the order of their steps.
        seconds: Since 1970; TensorBoard shows it as the time of all of them.
    """
    time = fixed64_field(1, struct.pack("<d", seconds))
    events = [time + bytes_field(3, "brain.Event:2")]
    events += [time + integer_field(2, each.step) + bytes_field(5, bytes_field(1, each.value)) for each in summaries]
    return b"".join(map(record, events))


def _shown_by(plugin: str) -> bytes:
    return bytes_field(1, bytes_field(1, plugin))
