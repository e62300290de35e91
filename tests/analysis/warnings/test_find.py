"""From a trace to its warnings."""

from __future__ import annotations

import numpy as np

from tensordbg.advice.lookup import fix
from tensordbg.analysis.finding import NumericalWarning
from tensordbg.analysis.warnings import find
from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.long_trace import long_trace
from tests.analysis.warnings.network import network

DEAD = {"Relu": lambda _: np.zeros((8, 5))}


def test_a_warning_has_its_tensor_its_line_and_its_numbers() -> None:
    result = why(network(DEAD))
    assert result.status == "finite"
    (warning,) = result.warnings
    assert (warning.kind, warning.view.tensor, warning.view.step) == ("dead_units", "Relu:0", 29)
    assert warning.source is not None
    assert warning.source.line == 12
    assert warning.view.health is not None
    assert warning.view.health.zero == 40
    assert warning.evidence["steps"] == 30


def test_the_gravest_comes_first() -> None:
    both = network({**DEAD, "kernel": lambda step: np.full((4, 5), 2.0**step)})
    assert [warning.kind for warning in why(both).warnings] == ["growing_values", "dead_units"]


def test_of_one_line_the_graver_is_told() -> None:
    zero = {
        "gradient_tape/ReluGrad": lambda _: np.zeros((8, 5)),
        "gradient_tape/MatMul/MatMul": lambda _: np.zeros((4, 5)),
        "gradient_tape/BiasAdd/BiasAddGrad": lambda _: np.zeros(5),
    }
    shrinking = {"Relu": lambda step: np.full((8, 5), 0.5**step), "loss": lambda step: 2.0 + step % 2}
    assert [warning.kind for warning in why(network(shrinking)).warnings] == ["shrinking_values"]
    assert [warning.kind for warning in why(network({**zero, **shrinking})).warnings] == ["zero_gradient"]


def test_what_comes_after_a_nan_does_not_count() -> None:
    def loss(step: int) -> float:
        return nan if step >= 3 else 1.0

    result = why(network({**DEAD, "loss": loss}))
    assert result.origins
    assert result.warnings == ()
    late = why(network({**DEAD, "loss": lambda step: nan if step >= 20 else 1.0}))
    assert [(warning.kind, warning.view.step) for warning in late.warnings] == [("dead_units", 20)]


def test_nothing_recorded_or_not_measured() -> None:
    assert why(TraceBuilder()).warnings == ()
    trace = network(DEAD)
    for row in trace.events:
        for name in ("negative", "zero", "positive", "nan", "first_bad", "min", "max", "sum", "sum_squares"):
            row[name] = None
    assert why(trace).warnings == ()


def test_a_million_tensors() -> None:
    assert why(long_trace(10_000)).warnings == ()


def test_growth_with_a_loss_that_rises_from_the_start_may_be_a_matter_of_the_sign() -> None:
    growing = {"kernel": lambda step: np.full((4, 5), 2.0**step)}
    (first,) = why(network(growing)).warnings
    (second,) = why(network({**growing, "loss": lambda step: 1.5**step})).warnings
    assert "assign_sub" not in first.suggestion
    assert second.suggestion == first.suggestion + fix("tensorflow", "growing_values", "sign")


def test_what_follows_from_a_softmax_of_one_only_if_the_training_goes_through_it() -> None:
    def warning(kind: str, **evidence: int) -> NumericalWarning:
        view = why(network(DEAD)).warnings[0].view
        return NumericalWarning(kind, view, "", None, evidence, "", "")

    others = [warning(kind) for kind in ("zero_gradient", "constant_loss", "saturated_output")]
    for past, told in ((0, []), (1, ["zero_gradient"])):
        kept = find._once([warning("softmax_of_one", trained_past=past), *others], "")
        assert [each.kind for each in kept] == ["softmax_of_one", *told]
