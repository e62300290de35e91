"""Growth: step by step, by orders of magnitude, without a break."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tensordbg.analysis.finding import History, InputView
from tensordbg.analysis.origins.growth import EagerIterations, find_growth
from tensordbg.analysis.program.roles import Roles
from tests.analysis.builder import TraceBuilder, located
from tests.analysis.causes.cases import view


def growth_of(values: list[float]) -> tuple[float, ...]:
    views = [view("x:0", [value]) for value in values]
    found = find_growth([InputView("x:0", "Op", views[-1])], [History("x:0", tuple(views[:-1]))], lambda *_: "step")
    return found.magnitudes if found else ()


@pytest.mark.parametrize(
    ("values", "run"),
    [
        ([1.0, 10.0, 100.0, 1000.0], (1.0, 10.0, 100.0, 1000.0)),
        ([1.0, -10.0, 100.0, -1000.0], (1.0, 10.0, 100.0, 1000.0)),
        ([5.0, 1.0, 10.0, 100.0, 1000.0], (1.0, 10.0, 100.0, 1000.0)),
        ([1.0, 10.0, 100.0], ()),  # too few
        ([1.0, 1.1, 1.2, 1.3, 1.4], ()),  # too little
        ([1.0, 10.0, 100.0, 1000.0, 900.0], ()),  # it had stopped
        ([1.0, 1.0, 1.0, 1e30], ()),  # a jump is no growth
        ([0.0, 0.0, 1.0, 1e30], ()),
    ],
)
def test_runs(values: list[float], run: tuple[float, ...]) -> None:
    assert growth_of(values) == run


def over_steps(*largest: tuple[int, float]) -> tuple[str, tuple[float, ...]] | None:
    """What is told of tensors of a loop that Python runs, each by its step and its size."""
    views = [replace(view("x:0", [size]), step=step, execution=k) for k, (step, size) in enumerate(largest)]
    found = find_growth([InputView("x:0", "Op", views[-1])], [History("x:0", tuple(views[:-1]))], lambda *_: "step")
    return None if found is None else (found.unit, found.magnitudes)


def test_iterations_of_several_steps_are_no_steps() -> None:
    assert over_steps((0, 1.0), (0, 10.0), (0, 100.0), (1, 1e3), (1, 1e4)) is None
    grown = over_steps((0, 1.0), (0, 10.0), (1, 20.0), (1, 100.0), (2, 200.0), (2, 1e3), (3, 1e4))
    assert grown == ("step", (10.0, 100.0, 1e3, 1e4))
    within = over_steps((0, 1.0), (1, 10.0), (1, 100.0), (1, 1e3), (1, 1e4))
    assert within == ("iteration", (10.0, 100.0, 1e3, 1e4))


def test_an_input_that_was_not_recorded() -> None:
    assert find_growth([InputView("x:0", "Op", None)], [History("x:0", ())], lambda *_: "step") is None


def eager_loop(*others: dict[str, Any]) -> str:
    """What lies between the first and the last run of an eager product, with other operations in between."""
    trace = TraceBuilder()
    trace.variable("weight", "[2]", trainable=True)
    trace.variable("metric", "[2]", trainable=False)
    product = trace.eager("MatMul", values=[1.0])
    for other in others:
        trace.eager("Other", trace.output(product), values=[1.0], **other)
    last = trace.eager("MatMul", values=[2.0], site=0)
    values = located(trace)
    return EagerIterations(values, Roles(values).gradient_site).between(product.number, last.number)


@pytest.mark.parametrize(
    ("others", "unit"),
    [
        ([], "iteration"),
        ([{}], "iteration"),
        ([{"writes": [1]}], "iteration"),  # a metric
        ([{"writes": [0]}], "step"),
        ([{"backprop": "_gradient_function"}], "step"),
    ],
)
def test_turns_of_a_loop_that_python_runs(others: list[dict[str, Any]], unit: str) -> None:
    assert eager_loop(*others) == unit


def test_a_state_that_goes_on_through_steps_of_training_grows_by_iterations() -> None:
    assert _grown_through(direct=True) == "iteration"
    assert _grown_through(direct=False) == "step"  # by the gradient alone


def _grown_through(*, direct: bool) -> str:
    trace = TraceBuilder()
    trace.variable("weight", "[2]", trainable=True)
    first = trace.eager("MatMul", values=[1.0])
    slope = trace.eager("MatMul", trace.output(first), values=[1.0], backprop="_gradient_function")
    trace.eager("AssignSubVariableOp", trace.output(slope), values=[1.0], writes=[0])
    last = trace.eager("MatMul", trace.output(first if direct else slope), values=[2.0], site=0)
    values = located(trace)
    return EagerIterations(values, Roles(values).gradient_site).between(first.number, last.number)
