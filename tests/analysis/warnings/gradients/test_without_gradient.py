"""Variables of an optimizer that no gradient reaches."""

from __future__ import annotations

import json

import pytest

from tensordbg.analysis.warnings.gradients.without_gradient import noted_without, without_gradient
from tensordbg.model import NONE, WITHOUT_GRADIENT
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, studied


def trained(used: str) -> TraceBuilder:
    """Two parameters of which one gets gradients; what is made of the other goes into the loss, or elsewhere."""
    trace = TraceBuilder()
    first, second = (trace.variable(name, "[2]", trainable=True) for name in ("first", "second"))
    told = {"attributes": json.dumps({WITHOUT_GRADIENT: 8})}
    reads = [
        trace.site(NONE, "Parameter", "Parameter", (), {"reads": [first]} | told),
        trace.site(NONE, "Parameter", "Parameter", (), {"reads": [second]}),
    ]
    held = [trace.output(trace.eager("Parameter", values=[1.0, 2.0], site=site)) for site in reads]
    sites = {
        name: trace.site(NONE, f"aten::{name}", f"aten::{name}", (), {}) for name in ("relu", "mul", "sum", "mean")
    }
    back = trace.site(NONE, "aten::expand", "aten::expand", (), {"gradient_of": sites["sum"]})
    update = trace.site(NONE, "aten::sub_", "aten::sub_", (), {"writes": [second]})
    for step in range(8):
        hidden = trace.output(trace.eager("aten::relu", held[0], values=[1.0, 2.0], site=sites["relu"]))
        out = trace.output(trace.eager("aten::mul", hidden, held[1], values=[1.0, 4.0], site=sites["mul"]))
        taken = out if used == "loss" else held[1]
        loss = trace.output(trace.eager("aten::sum", taken, values=5.0 + step, site=sites["sum"]))
        slope = trace.output(trace.eager("aten::expand", loss, values=[1.0, 1.0], site=back))
        held[1] = trace.output(trace.eager("aten::sub_", held[1], slope, values=[1.0, 2.0 - step], site=update))
    return trace


def test_what_the_loss_is_made_of() -> None:
    (finding,) = without_gradient(studied(trained("loss")))
    assert (finding.variable, finding.also, finding.evidence) == (0, ("first",), {"steps": 8, "variables": 1})
    assert finding.explanation.endswith("it has no gradient: the loss is made of what it computes, but is cut from it.")


@pytest.mark.parametrize("trace", [trained("elsewhere"), network()])
def test_no_trouble(trace: TraceBuilder) -> None:
    assert without_gradient(studied(trace)) == []


def test_notes_are_read() -> None:
    assert noted_without(studied(trained("loss"))) == {0: 8}
