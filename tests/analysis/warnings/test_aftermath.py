"""What is left to look at when something was not finite."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, nan
from tests.analysis.warnings.network import Given, network

DEAD: Given = {"Relu": lambda _: np.zeros((8, 5))}


def kinds(trace: TraceBuilder) -> list[str]:
    return [warning.kind for warning in why(trace).warnings]


def overflow(times: int) -> TraceBuilder:
    trace = TraceBuilder()
    beside = trace.function("loss_beside")
    x = beside.argument("x")
    power = beside.op("Exp", x)
    beside.returns(power)
    for _ in range(times):
        run = trace.run(beside)
        run.event(x, 1000.0)
        run.event(power, inf)
    return trace


def test_an_overflow_beside_the_training_silences_nothing() -> None:
    for times in (1, 3):
        assert why(overflow(times)).origins[0].consequential
        assert kinds(network(DEAD, trace=overflow(times))) == ["dead_units"]


def test_what_a_ruined_variable_goes_into_does_not_count() -> None:
    ruined: Given = {
        **DEAD,
        "gradient_tape/MatMul/MatMul": lambda _: np.full((4, 5), nan),
        "kernel": lambda step: np.full((4, 5), nan if step else 1.0),
    }
    assert kinds(network(ruined)) == []


def test_one_bad_loss_that_ruined_nothing_silences_nothing() -> None:
    assert kinds(network({**DEAD, "loss": lambda step: inf if step == 2 else 1.0 + step % 3})) == ["dead_units"]
