from __future__ import annotations

import json

from tensordbg.analysis.tensors.show import histories_of, history_of
from tensordbg.trace.reader import TraceReader
from tensordbg.wire.show import histories_to_json, history_to_json


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
        "variables": [],
        "sources": [{"file": "/code/train.py", "line": 3, "function": "main", "text": "import tensorflow"}],
        "total": 3,
    }


def test_histories_of_a_run(run_readers: dict[str, TraceReader], sample_reader: TraceReader) -> None:
    alone = history_of(sample_reader, "Log")
    assert histories_to_json({"": alone}) == history_to_json(alone)
    several = histories_to_json(histories_of(run_readers, lambda reader: history_of(reader, "Log")))
    assert [each["process"] for each in several["processes"]] == list(run_readers)
    assert several["processes"][0]["total"] == 3
