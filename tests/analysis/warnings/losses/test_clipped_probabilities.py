"""Losses of probabilities that clip what they are given."""

from __future__ import annotations

import pytest

from tensordbg.analysis.warnings.losses.clipped_probabilities import clipped_probabilities
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def loss_of(low: float, high: float, *clips: str) -> TraceBuilder:
    """Eight eager steps in which what is made of a weight is clipped before the logarithm of the rest to 1 is taken."""
    trace = TraceBuilder()
    weight = trace.variable("weight", "[2]", trainable=True)
    read = trace.site(NONE, "weight", "ReadVariableOp", (), {"reads": [weight]})
    held = trace.output(trace.eager("ReadVariableOp", values=[0.5, 0.6], site=read))
    sites = {each: trace.site(NONE, each, each, (), {}) for each in ("MatMul", *clips, "Sub", "Log")}
    for _ in range(8):
        given = trace.output(trace.eager("MatMul", held, values=[low, high], site=sites["MatMul"]))
        within = [min(max(low, 1e-7), 1 - 1e-7), min(max(high, 1e-7), 1 - 1e-7)]
        for each in clips:
            given = trace.output(trace.eager(each, given, values=within, site=sites[each]))
        rest = trace.output(trace.eager("Sub", given, values=[1 - each for each in within], site=sites["Sub"]))
        trace.eager("Log", rest, values=[-0.5, -0.1], site=sites["Log"])
    return trace


@pytest.mark.parametrize("clips", [("Minimum", "Maximum"), ("ClipByValue",)])
def test_numbers_beyond_0_and_1(clips: tuple[str, ...]) -> None:
    (finding,) = clipped_probabilities(studied(loss_of(-2.0, 3.0, *clips)))
    assert "MatMul:0, which it is given, reaches from -2 to 3. " + clips[-1] in finding.explanation


@pytest.mark.parametrize(
    ("low", "high", "clips"),
    [
        (0.0, 1.0, ("Minimum", "Maximum")),
        (-1e-4, 1.001, ("ClipByValue",)),
        (-2.0, 0.5, ("Maximum",)),
        (-2.0, 0.5, ()),
    ],
)
def test_no_trouble(low: float, high: float, clips: tuple[str, ...]) -> None:
    assert clipped_probabilities(studied(loss_of(low, high, *clips))) == []
