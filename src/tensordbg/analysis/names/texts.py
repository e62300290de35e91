"""The first elements of a tensor of strings, for a table."""

from __future__ import annotations

from typing import Any

from tensordbg.errors import TraceError
from tensordbg.trace.raw.strings import DTYPE
from tensordbg.trace.reader import TraceReader

_CUT = "\N{HORIZONTAL ELLIPSIS}"


def text_of(reader: TraceReader, row: dict[str, Any]) -> str:
    """The first strings of a row of `tensors`, as TensorFlow prints them; empty where none can be read."""
    if row["dtype"] != DTYPE or row["value_position"] is None or row["size"] is None:
        return ""
    try:
        found = reader.read_beginning(row["value_position"], row["size"])
    except TraceError:
        return ""  # who asks for the elements themselves is told what is wrong with them
    shown = [f"{text!r}{_CUT if len(text) < length else ''}" for text, length in found]
    if row["shape"] == "[]":
        return "".join(shown)
    return f"[{' '.join(shown + [_CUT] * (len(shown) < row['size']))}]"
