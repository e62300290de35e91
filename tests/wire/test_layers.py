from __future__ import annotations

import json
from pathlib import Path

from tensordbg.analysis.graphs.layers import list_layers
from tensordbg.wire.layers import layers_to_json
from tests.analysis.graphs.test_layers import layered_trace


def test_layers(tmp_path: Path) -> None:
    given = layers_to_json(list_layers(layered_trace(tmp_path / "trace")))
    given = json.loads(json.dumps(given, allow_nan=False))
    assert given["format"] == 1
    assert [(layer["path"], layer["name"], layer["class"]) for layer in given["layers"]] == [
        ("model", "model", "Model"),
        ("model/log", "log", "Log"),
        ("model/scale", "scale", "Scale"),
    ]
    (output,) = given["layers"][1]["outputs"]
    assert output["health"].pop("nan") == 1
    del output["health"]
    assert output == {
        "tensor": "Log:0",
        "op_type": "Log",
        "function": "train",
        "device": "/device:CPU:0",
        "dtype": "float32",
        "shape": [2, 3],
        "events": 2,
        "non_finite": 1,
        "last_step": 1,
        "last_event": 2,
    }
    assert [tensor["tensor"] for tensor in given["layers"][2]["inner"]] == ["mul:0"]
