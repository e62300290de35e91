"""The messages in the files of a dump, described here so that TensorFlow need not be installed.

The numbers are those of tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tensordbg.errors import TraceError
from tensordbg.importers.tfdbg2.messages import MESSAGES as SHARED
from tensordbg.importers.tfdbg2.messages import message_type
from tensordbg.opening import read_whole

MOST_BYTES = 2**31
"""Of one file: a message of protobuf is no larger."""

MESSAGES: dict[str, str] = {
    **{name: SHARED[name] for name in ("Dim", "Shape", "Tensor")},
    "Value": "7 string node_name; 8 Tensor tensor",
    "Summary": "1 *Value value",
    "LogMessage": "2 string message",
    "Event": "1 double wall_time; 4 bytes graph_def; 5 Summary summary; 6 LogMessage log_message",
}
"""Number, type and name of each field, as for the importer of version 2."""


@cache
def _event_type() -> Any:
    return message_type("tfdbg1", MESSAGES, "Event")


def read_event(path: Path) -> Any:
    """The one event in a file.

    Raises:
        TraceError: If the file can't be read, or holds something else.
        UsageError: If protobuf is not installed.
    """
    event = _event_type()
    from google.protobuf.message import DecodeError

    try:
        return event.FromString(read_whole(path, MOST_BYTES))
    except (DecodeError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TraceError(
            f"{path}: holds no event of the debugger ({reason}); take the file out of the folder"
        ) from error
