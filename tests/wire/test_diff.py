"""A comparison as JSON."""

from __future__ import annotations

import json

from tensordbg.analysis.diff.result import (
    AttributeDifference,
    Comparison,
    FirstDifference,
    PairError,
    ParameterPair,
    StepError,
)
from tensordbg.wire.diff import diff_to_json
from tests.analysis.diff.compared import tensor


def test_all_that_was_found() -> None:
    first = FirstDifference(
        "value", tensor("LayerNorm:0"), tensor("aten::native_layer_norm:0"), 3e-3, True,
        (AttributeDifference("epsilon", 0.001, 1e-05),), "from equal inputs", "set epsilon to 0.001 in B",
    )  # fmt: skip
    pair = ParameterPair("dense/kernel", "", "only_a", None, (2, 3))
    result = Comparison("diverged", 5, 1, 2, 1e-6, first, parameters=(pair,), steps=(StepError(0, 1e-7),))
    told = diff_to_json(result)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert (told["format"], told["status"], told["unmatched"]) == (1, "diverged", {"a": 1, "b": 2})
    assert told["first"]["difference"] == [{"attribute": "epsilon", "a": 0.001, "b": 1e-05}]
    assert told["first"]["a"]["source"] == {"file": "/me/train.py", "line": 7, "text": "y = norm(x)"}
    assert told["parameters"] == [{"a": "dense/kernel", "b": None, "status": "only_a", "error": None}]
    assert told["steps"] == [{"step": 0, "error": 1e-7}]


def test_the_error_along_the_data_flow() -> None:
    pairs = (PairError(0, "Tanh:0", "aten::tanh:0", "a.py:1", "", None, "added", False, 4, 7, 9),)
    assert diff_to_json(Comparison("same", 5, 0, 0, 1e-6, errors=pairs))["errors"] == [
        {"step": 0, "a": "Tanh:0", "b": "aten::tanh:0", "line_a": "a.py:1", "line_b": None, "error": None,
         "state": "added", "event_a": 7, "event_b": 9}
    ]  # fmt: skip


def test_nothing_found() -> None:
    assert diff_to_json(Comparison("same", 5, 0, 0, 1e-6))["first"] is None
