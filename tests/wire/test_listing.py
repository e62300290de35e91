from __future__ import annotations

import json

from tensordbg.analysis.names.listing import Selection, list_tensors
from tensordbg.trace.reader import TraceReader
from tensordbg.wire.listing import listing_to_json


def test_listing(sample_reader: TraceReader) -> None:
    wire = listing_to_json(list_tensors(sample_reader, Selection(non_finite=True)))
    assert json.loads(json.dumps(wire, allow_nan=False)) == wire
    assert (wire["format"], wire["total"]) == (1, 1)
    (tensor,) = wire["tensors"]
    health = tensor.pop("health")
    assert (health["neg_inf"], health["min"]) == (1, -3.0)
    assert tensor == {
        "event": 9,
        "tensor": "Log:0",
        "op_name": "Log",
        "op_type": "Log",
        "variables": [],
        "python_names": [],
        "function": "train",
        "execution": 5,
        "step": 2,
        "iteration": None,
        "path": "",
        "device": "/device:CPU:0",
        "asked": "",
        "dtype": "float32",
        "shape": [2, 3],
        "source": {"file": "/code/train.py", "line": 3, "function": "main"},
    }
