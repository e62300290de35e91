from __future__ import annotations

import json

import pytest

from tensordbg.analysis.view.graphs.search import MOST_FOUND, find_in_graph
from tensordbg.analysis.view.requests import Whole
from tensordbg.model import PYTHON_NAMES
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.boxed import model_step
from tests.analysis.view.built import opened_builder
from tests.analysis.view.loop_trace import loop_trace


def found(trace: TraceBuilder, text: str) -> list[str]:
    return [each.thing for each in find_in_graph(opened_builder(trace), Whole(function="step"), text).things]


@pytest.fixture
def model() -> TraceBuilder:
    trace = TraceBuilder()
    step = model_step(trace)
    (x,) = (row for row in trace.sites if row["name"] == "x" and row["function"] == step.number)
    x["attributes"] = json.dumps({PYTHON_NAMES: [["batch"]]})
    return trace


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("loss/Log", "loss/Log"),
        ("loss/Log:0", "loss/Log"),
        ("log", "loss/Log"),
        ("batch", "x"),
        ("second", "model/second/"),
        ("norm", "PartitionedCall"),
        ("biasadd", "model_1/first_1/BiasAdd"),
    ],
)
def test_any_name_finds_it_and_what_fits_best_comes_first(model: TraceBuilder, text: str, first: str) -> None:
    assert found(model, text)[0] == first


def test_the_boxes_around_it_are_told_the_innermost_first(model: TraceBuilder) -> None:
    (half, *_) = find_in_graph(opened_builder(model), Whole(function="step"), "part/mul").things
    assert half.thing == "PartitionedCall/part/mul"
    assert half.around[-1] == "PartitionedCall"
    (layer, *_) = find_in_graph(opened_builder(model), Whole(function="step"), "second").things
    assert (layer.box, layer.kind, layer.around) == (True, "layer", ("model/",))


def test_nothing_is_found_of_another_name_or_of_none(model: TraceBuilder) -> None:
    assert found(model, "no such thing") == found(model, "  ") == []


def test_what_is_too_much_is_counted() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    value = step.argument("x")
    for _ in range(MOST_FOUND + 5):
        value = step.op("Sin", value)
    step.returns(value)
    result = find_in_graph(opened_builder(trace), Whole(function="step"), "sin")
    assert result.total >= MOST_FOUND + 5
    assert len(result.things) == MOST_FOUND


def test_eager_code_is_looked_through_step_by_step() -> None:
    trace = loop_trace()
    found = find_in_graph(trace.opened, Whole(trace.of(0, "neg")), "neg")
    assert [(each.title, each.kind, each.around) for each in found.things] == [("Neg", "Neg", ())]
