"""The history of a tensor as JSON."""

from __future__ import annotations

from typing import Any

from tensordbg.analysis.history import History
from tensordbg.wire.listing import frame_to_json, row_to_json

FORMAT = 1


def history_to_json(history: History) -> dict[str, Any]:
    """The object that `tdbg show --json` prints."""
    return {
        "format": FORMAT,
        "tensor": history.tensor,
        "op_types": list(history.op_types),
        "functions": list(history.functions),
        "sources": [{**frame_to_json(source.frame), "text": source.text} for source in history.sources],
        "total": history.total,
        "events": [row_to_json(point) for point in history.points],
    }
