from __future__ import annotations

from typing import Any

import pytest

from tensordbg.analysis.alerts.splitting import splitting_alerts
from tensordbg.analysis.finding import Alert
from tests.analysis.alerts.traces import functions_of, tensor, traced
from tests.analysis.builder import FILE, TraceBuilder


def split(line: int = 4, reason: str = "Unsupported Tensor.item() call", **more: Any) -> dict[str, Any]:
    return {"file": FILE, "line": line, "function": "train_step", "user": True, "reason": reason, **more}


def alerts(*splits: dict[str, Any], calls: int = 6, traces: int = 1) -> list[Alert]:
    """The alerts of a function that is split at these places, called so often."""
    trace = TraceBuilder()
    for _ in range(traces):
        graph = traced(trace, {"x": tensor()}, splits=list(splits))
        for _ in range(calls):
            trace.run(graph)
    return list(splitting_alerts(functions_of(trace)))


def test_a_split_in_each_call() -> None:
    (alert,) = alerts(split())
    assert (alert.kind, alert.function, alert.tensor) == ("splitting", "train_step", "")
    assert alert.source is not None
    assert (alert.source.file, alert.source.line) == (FILE, 4)
    assert alert.evidence == {"calls": 6, "reason": "Unsupported Tensor.item() call"}
    assert alert.explanation == (
        "the compiled code of train_step is split here: each of 6 calls left it and went on in another graph "
        "(Unsupported Tensor.item() call)"
    )


def test_a_function_that_is_whole_and_few_calls_are_no_alert() -> None:
    assert alerts() == []
    assert alerts(split(), calls=5) == []


def test_calls_of_all_compilations_count_and_each_line_is_told_once() -> None:
    found = alerts(split(), split(line=7, reason="Failed to trace builtin operator"), calls=3, traces=2)
    assert [(each.source.line, each.evidence["calls"]) for each in found if each.source] == [(4, 6), (7, 6)]


def test_a_line_that_splits_its_own_function_and_the_one_that_calls_it_counts_once() -> None:
    trace = TraceBuilder()
    for line in (2, 20):
        graph = traced(trace, {"x": tensor()}, line=line, splits=[split()])
        for _ in range(6):
            trace.run(graph)
    (alert,) = splitting_alerts(functions_of(trace))
    assert alert.evidence["calls"] == 6


@pytest.mark.parametrize(
    "reason", ["Call to `torch._dynamo.graph_break()`", "Skip calling `torch.compiler.disable()`d function"]
)
def test_what_the_program_asks_for_is_no_alert(reason: str) -> None:
    assert alerts(split(reason=reason)) == []
