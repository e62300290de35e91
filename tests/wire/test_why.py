"""The JSON of `tdbg why`: its keys are a promise."""

from __future__ import annotations

import json
from typing import Any

from tensordbg.analysis.why import why, why_of_run
from tensordbg.wire.why import why_to_json
from tests.analysis.builder import FILE, TraceBuilder, inf, nan
from tests.analysis.workers import RECEIVED, SENT, steps, worker

HEALTH = {
    "size", "negative", "zero", "positive", "neg_inf", "pos_inf", "nan", "subnormal", "min", "max", "mean", "std",
}  # fmt: skip
PROMISED = {
    "tensor", "op_name", "op_type", "function", "execution", "step", "iteration", "device", "dtype", "shape", "health",
    "first_bad_index", "inputs", "source", "stack", "cause", "explanation", "suggestion", "consequential", "reaches",
    "propagated",
}  # fmt: skip
FURTHER = {"caught", "meant", "event", "occurrences", "spread", "history", "gradient_of"}


def answer(values: list[list[float]], out: list[list[float]]) -> dict[str, Any]:
    trace = TraceBuilder(["", "y = tf.math.log(probs)"])
    f = trace.function("loss")
    probs = f.argument("probs")
    log = f.op("Log", probs, line=2)
    f.returns(log)
    run = trace.run(f)
    run.event(probs, values)
    run.event(log, out)
    return json.loads(json.dumps(why_to_json(why(trace)), allow_nan=False))  # type: ignore[no-any-return]


def test_keys() -> None:
    said = answer([[0.5, 1.0], [1.0, 0.0]], [[-0.7, 0.0], [0.0, -inf]])
    assert set(said) == {"format", "status", "tensor_events", "non_finite_events", "origins", "warnings", "alerts"}
    (origin,) = said["origins"]
    assert set(origin) == PROMISED | FURTHER
    assert set(origin["health"]) == HEALTH
    assert set(origin["inputs"][0]) >= {"tensor", "health"}
    assert set(origin["inputs"][0]["health"]) == HEALTH
    assert set(origin["source"]) == {"file", "line", "function", "text"}
    assert all(set(line) == {"file", "line", "function", "text", "user"} for line in origin["stack"])


def test_values() -> None:
    said = answer([[0.5, 1.0], [1.0, 0.0]], [[-0.7, 0.0], [0.0, -inf]])
    assert (said["format"], said["status"], said["tensor_events"], said["non_finite_events"]) == (1, "non_finite", 2, 1)
    (origin,) = said["origins"]
    assert (origin["tensor"], origin["op_name"], origin["op_type"], origin["function"]) == (
        "Log:0",
        "Log",
        "Log",
        "loss",
    )
    assert (origin["execution"], origin["step"], origin["iteration"]) == (1, 0, None)
    assert (origin["dtype"], origin["shape"], origin["first_bad_index"]) == ("float32", [2, 2], [1, 1])
    assert (origin["health"]["neg_inf"], origin["health"]["min"]) == (1, -0.7)
    assert origin["inputs"][0]["tensor"] == "probs:0"
    assert origin["inputs"][0]["health"]["zero"] == 1
    assert origin["source"] == {"file": FILE, "line": 2, "function": "step", "text": "y = tf.math.log(probs)"}
    assert [line["user"] for line in origin["stack"]] == [True, True, False]
    assert (origin["cause"], origin["consequential"], origin["reaches"]) == ("log_of_zero", True, ["output"])
    assert (origin["propagated"], origin["occurrences"]) == (0, 1)


def test_what_json_cannot_say_is_null() -> None:
    (origin,) = answer([[nan, nan]], [[nan, nan]])["origins"]
    assert [origin["health"][name] for name in ("min", "max", "mean", "std")] == [None] * 4


def test_no_line_of_the_users_own() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    log = f.op("Log")
    trace.run(f).event(log, -inf)
    for stack in trace.stacks:
        stack["frames"] = [(file, line, function, False) for file, line, function, _ in stack["frames"]]
    (origin,) = why_to_json(why(trace))["origins"]
    assert origin["source"] is None
    assert (origin["shape"], origin["first_bad_index"]) == ([], [])


def test_finite() -> None:
    said = answer([[1.0]], [[0.0]])
    assert said == {
        "format": 1,
        "status": "finite",
        "tensor_events": 2,
        "non_finite_events": 0,
        "origins": [],
        "warnings": [],
        "alerts": [],
    }


def test_a_run_of_several_processes() -> None:
    said = why_to_json(why_of_run({"a": worker(steps(RECEIVED)), "b": worker(steps(SENT))}))
    assert json.loads(json.dumps(said, allow_nan=False)) == said
    assert said["processes"] == [
        {"process": "a", "tensor_events": 4, "non_finite_events": 1, "steps": 1},
        {"process": "b", "tensor_events": 4, "non_finite_events": 2, "steps": 1},
    ]
    (origin,) = said["origins"]
    assert set(origin) == PROMISED | FURTHER | {"process", "arrivals"}
    (arrival,) = origin["arrivals"]
    assert (origin["process"], arrival["process"], arrival["from"], arrival["kind"]) == ("b", "a", "b", "all-reduce")
    assert (arrival["tensor"], arrival["reaches"], arrival["propagated"]) == ("CollectiveReduceV2:0", ["output"], 0)
    assert set(arrival["source"]) == {"file", "line", "function", "text"}
