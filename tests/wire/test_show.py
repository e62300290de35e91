from __future__ import annotations

import json

from tensordbg.analysis.show import history_of
from tensordbg.trace.reader import TraceReader
from tensordbg.wire.show import history_to_json


def test_history(sample_reader: TraceReader) -> None:
    wire = history_to_json(history_of(sample_reader, "Log"))
    assert json.loads(json.dumps(wire, allow_nan=False)) == wire
    events = wire.pop("events")
    assert [event["step"] for event in events] == [0, 1, 2]
    assert wire == {
        "format": 1,
        "tensor": "Log:0",
        "op_types": ["Log"],
        "functions": ["train"],
        "sources": [{"file": "/code/train.py", "line": 3, "function": "main", "text": "import tensorflow"}],
        "total": 3,
    }
