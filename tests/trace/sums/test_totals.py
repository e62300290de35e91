"""Sums over the events of a trace."""

from __future__ import annotations

import json

import pytest

from tensordbg.trace.sums.totals import MOST_BAD, Sums
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.workers import GOOD, SENT, steps, worker


def trained(*values: float) -> TraceBuilder:
    """A variable that is trained by eager steps."""
    trace = TraceBuilder()
    variable = trace.variable("w", "[2]", trainable=True)
    site = trace.site(-1, "aten::add_", "aten::add_", (), {"writes": [variable]})
    for value in values:
        trace.eager("aten::add_", site=site, values=[value, 1.0])
    return trace


def test_what_is_bad_is_told_once_by_operation() -> None:
    sums = worker(steps(GOOD, SENT, SENT)).sums()
    assert (sums.events, sums.bad, sums.measured, sums.steps) == (12, 4, True, 3)
    assert [(each.step, each.event) for each in sums.first_bad] == [(1, 6), (1, 7)]
    assert len({each.name for each in sums.first_bad}) == 2


def test_operations_have_the_same_names_in_all_processes() -> None:
    one, other = worker(steps(SENT)).sums(), worker(steps(GOOD, SENT)).sums()
    assert [each.name for each in one.first_bad] == [each.name for each in other.first_bad]


def test_runs_that_all_run_together_are_counted() -> None:
    assert worker(steps(GOOD, GOOD)).sums().collectives == 2
    trace = TraceBuilder()
    trace.eager("c10d::allreduce_", values=[1.0], framework="torch")
    assert trace.sums().collectives == 1


def test_what_a_trained_variable_held_has_a_digest() -> None:
    sums = trained(1.0, 2.0, 3.0).sums()
    assert sums.written.counts == (1, 1, 1)
    others = trained(1.0, 2.5, 3.0).sums().written.digests
    assert [a == b for a, b in zip(sums.written.digests, others, strict=True)] == [True, False, True]


def test_a_part_of_a_variable_has_none() -> None:
    trace = TraceBuilder()
    variable = trace.variable("w", "[2]", trainable=True)
    trace.eager("Gather", reads=[variable], values=[1.0])
    assert not len(trace.sums().written)


def test_only_so_many_operations_are_named() -> None:
    trace = TraceBuilder()
    for _ in range(MOST_BAD + 5):
        trace.eager("Log", values=nan)
    sums = trace.sums()
    assert (sums.bad, len(sums.first_bad)) == (MOST_BAD + 5, MOST_BAD)


def test_to_json_and_back() -> None:
    sums = worker(steps(GOOD, SENT)).sums()
    assert Sums.from_json(json.loads(json.dumps(sums.to_json()))) == sums


def test_what_is_none_is_refused() -> None:
    row = worker(steps(GOOD, SENT)).sums().to_json()
    with pytest.raises(TypeError):
        Sums.from_json(row | {"first_bad": [[1, 2]]})
    with pytest.raises(KeyError):
        Sums.from_json({"events": 3})
