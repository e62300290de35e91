"""A listing of tensor events as JSON."""

from __future__ import annotations

from typing import Any

from tensordbg.analysis.names.listing import ListedTensor, Listing
from tensordbg.model import Frame
from tensordbg.wire.health import health_to_json

FORMAT = 1


def listing_to_json(listing: Listing) -> dict[str, Any]:
    """The object that `tdbg ls --json` prints."""
    return {"format": FORMAT, "total": listing.total, "tensors": [row_to_json(row) for row in listing.rows]}


def row_to_json(row: ListedTensor) -> dict[str, Any]:
    """One tensor event; `process` is there in a run of several."""
    return {
        **({"process": row.process} if row.process else {}),
        "event": row.event,
        "tensor": row.tensor,
        "op_name": row.op_name,
        "op_type": row.op_type,
        "variables": list(row.variables),
        "python_names": list(row.python_names),
        "function": row.function,
        "execution": row.execution,
        "step": row.step,
        "iteration": row.iteration,
        "path": row.path,
        "device": row.device,
        "asked": row.asked,
        "dtype": row.dtype,
        "shape": None if row.shape is None else list(row.shape),
        "health": None if row.health is None else health_to_json(row.health),
        **({"text": row.text} if row.text else {}),
        **({"iterations": list(row.iterations)} if row.iterations else {}),
        **({} if row.call is None else {"call": row.call}),
        **({"came_from": list(row.came_from)} if row.came_from else {}),
        "source": None if row.source is None else frame_to_json(row.source),
    }


def frame_to_json(frame: Frame) -> dict[str, Any]:
    """One line of a stack."""
    return {"file": frame.file, "line": frame.line, "function": frame.function}
