from __future__ import annotations

from tensordbg.analysis.graphs.functions import list_functions
from tensordbg.wire.functions import functions_to_json
from tests.analysis.alerts.traces import tensor, traced, value
from tests.analysis.builder import FILE, TraceBuilder


def test_function() -> None:
    trace = TraceBuilder(["", "def train_step(x, n):"])
    trace.run(traced(trace, {"x": tensor(), "n": value(1)}))
    said = functions_to_json(list_functions(trace))
    assert said == {
        "format": 1,
        "functions": [
            {
                "name": "train_step",
                "definition": {"file": FILE, "line": 2, "function": "train_step", "text": "def train_step(x, n):"},
                "calls": 1,
                "traces": [
                    {
                        "runtime_name": "__inference_train_step_0",
                        "python_function": 0,
                        "parameters": [
                            {
                                "name": "x",
                                "kind": "tensor",
                                "text": "float32[2]",
                                "dtype": "float32",
                                "shape": "[2]",
                            },
                            {"name": "n", "kind": "value", "text": "1"},
                        ],
                        "signature": "",
                        "calls": 1,
                        "step": 0,
                        "source": {"file": FILE, "line": 9, "function": "step", "text": ""},
                    }
                ],
            }
        ],
    }


def test_definition_that_is_not_known() -> None:
    trace = TraceBuilder()
    trace.run(trace.function("loss"))
    (function,) = functions_to_json(list_functions(trace))["functions"]
    assert function["definition"] is None
