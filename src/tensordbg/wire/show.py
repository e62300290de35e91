"""The history of a tensor as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.tensors.show import TensorHistory
from tensordbg.wire.listing import row_to_json

FORMAT = 1


def histories_to_json(histories: Mapping[str, TensorHistory]) -> dict[str, Any]:
    """The object that `tdbg show --json` prints: of one process its history, of several all of them with names."""
    if len(histories) == 1 and "" in histories:
        return history_to_json(histories[""])
    processes = [{"process": name, **history_to_json(history)} for name, history in histories.items()]
    return {"format": FORMAT, "processes": processes}


def history_to_json(history: TensorHistory) -> dict[str, Any]:
    """The history of a tensor in one process."""
    return {
        "format": FORMAT,
        "tensor": history.tensor,
        "op_types": list(history.op_types),
        "functions": list(history.functions),
        "variables": list(history.variables),
        "sources": [source_to_json(source) for source in history.sources],
        "total": history.total,
        "events": [row_to_json(point) for point in history.points],
    }


def source_to_json(source: SourceLine) -> dict[str, Any]:
    """A line of source with its text."""
    return {"file": source.file, "line": source.line, "function": source.function, "text": source.text}
