"""The error along the data flow: what agrees, where a difference is made, and what is made of it."""

from __future__ import annotations

import math

from tensordbg.analysis.diff.compare import Asked, compare
from tensordbg.analysis.diff.error_flow import MOST
from tensordbg.analysis.diff.result import Comparison
from tests.analysis.builder import TraceBuilder


def run(slope: float, length: int = 1) -> TraceBuilder:
    """A chain of operations, of which the third multiplies by a slope."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    numbers = [0.5, -1.25, 2.0]
    values = [(x, numbers)]
    for position in range(length):
        last = values[-1][0]
        factor = slope if position == length // 2 else 1.5
        numbers = [math.sin(factor * each + position) + 1.5 * each % 1 for each in numbers]
        values.append((f.op("Tanh" if position % 2 else "Exp", last, name=f"made_{position}"), numbers))
    f.returns(values[-1][0])
    call = trace.run(f)
    for port, elements in values:
        call.event(port, elements)
    return trace


def states(result: Comparison) -> list[str]:
    return [each.state for each in result.errors]


def test_an_error_is_made_at_one_value_and_comes_in_at_those_made_of_it() -> None:
    result = compare(run(1.5, 6), run(2.5, 6), Asked())
    assert states(result) == ["equal"] * 4 + ["added"] + ["inherited"] * 2
    assert [(each.a, each.b) for each in result.errors][4] == ("made_3:0", "made_3:0")
    assert all((each.error or 0) > 0.1 for each in result.errors[4:])
    assert all(each.error == 0 for each in result.errors[:4])


def test_equal_runs_have_equal_values_alone() -> None:
    result = compare(run(1.5, 6), run(1.5, 6), Asked())
    assert set(states(result)) == {"equal"}


def test_of_very_many_all_that_differs_first_is_told_and_some_of_what_agrees() -> None:
    length = MOST + 500
    result = compare(run(1.5, length), run(1.5, length), Asked())
    assert len(result.errors) == MOST
    events = [each.event_b for each in result.errors]
    assert events == sorted(set(events))
    assert (events[0], events[-1]) == (0, length)
