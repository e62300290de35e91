"""Gradients that are added up over all steps."""

from __future__ import annotations

import json

import pytest

from tensordbg.analysis.warnings.gradients.accumulated import accumulated_gradients
from tensordbg.model import GRADIENT_FOR, NONE
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, studied


def test_a_network_without_such_notes_is_left_alone() -> None:
    assert accumulated_gradients(studied(network())) == []


def accumulating(between: str, *, updated: bool) -> TraceBuilder:
    """Nine steps of a gradient that is added to itself, with an operation in between."""
    trace = TraceBuilder()
    weight = trace.variable("weight", "[2]", trainable=True)
    told = {"attributes": json.dumps({GRADIENT_FOR: [[0, weight]]})}
    fresh = trace.site(NONE, "aten::mm", "aten::mm", (), told)
    added = trace.site(NONE, "aten::add_", "aten::add_", (), told)
    update = trace.site(NONE, "aten::sub_", "aten::sub_", (), {"writes": [weight]}) if updated else NONE
    changed = trace.site(NONE, between, between, (), {}) if between else NONE
    before = NONE
    for step in range(9):
        new = trace.output(trace.eager("aten::mm", values=[1.0, 2.0], site=fresh))
        if between and step:
            before = trace.output(trace.eager(between, before, values=[0.0, 0.0], site=changed))
        before = trace.output(trace.eager("aten::add_", before, new, values=[2.0, 3.0], site=added)) if step else new
        if updated:
            trace.eager("aten::sub_", before, values=[1.0, 1.0], site=update)
    return trace


@pytest.mark.parametrize(("between", "variables"), [("", [0]), ("aten::mul_", [0]), ("aten::zero_", [])])
def test_a_sum_that_takes_itself(between: str, variables: list[int]) -> None:
    found = accumulated_gradients(studied(accumulating(between, updated=True)))
    assert [each.variable for each in found] == variables


def test_of_a_parameter_that_nothing_updates_the_sum_is_followed_nowhere() -> None:
    assert accumulated_gradients(studied(accumulating("", updated=False))) == []
