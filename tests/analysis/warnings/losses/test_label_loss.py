"""Losses of the logarithms of probabilities."""

from __future__ import annotations

import pytest

from tensordbg.analysis.warnings.losses.label_loss import no_log_probabilities
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def loss_of(op_type: str, values: list[float]) -> TraceBuilder:
    """Eight steps of a loss of labels, given the result of an operation on what is trained."""
    trace = TraceBuilder()
    weight = trace.variable("weight", "[3]", trainable=True)
    read = trace.site(NONE, "Parameter", "Parameter", (), {"reads": [weight]})
    held = trace.output(trace.eager("Parameter", values=[1.0, 2.0, 3.0], site=read))
    made = trace.site(NONE, op_type, op_type, (), {})
    loss = trace.site(NONE, "aten::nll_loss_forward", "aten::nll_loss_forward", (), {})
    for _ in range(8):
        given = trace.output(trace.eager(op_type, held, values=values, site=made))
        trace.eager("aten::nll_loss_forward", given, values=-0.5, site=loss)
    return trace


def test_probabilities() -> None:
    (finding,) = no_log_probabilities(studied(loss_of("aten::_softmax", [0.2, 0.3, 0.5])))
    assert finding.explanation == (
        "aten::nll_loss_forward:0 takes the logarithms of probabilities, which are never above 0, but is given "
        "probabilities, the result of a softmax: aten::_softmax:0 reaches 0.5."
    )


def test_logits() -> None:
    (finding,) = no_log_probabilities(studied(loss_of("aten::addmm", [-2.0, 0.3, 1.5])))
    assert "numbers above 0, such as logits: aten::addmm:0 reaches 1.5" in finding.explanation


@pytest.mark.parametrize(
    ("op_type", "values"), [("aten::_log_softmax", [-1.0, -0.1, 0.0]), ("aten::addmm", [-2.0, -1.0, 1e-6])]
)
def test_no_trouble(op_type: str, values: list[float]) -> None:
    assert no_log_probabilities(studied(loss_of(op_type, values))) == []
