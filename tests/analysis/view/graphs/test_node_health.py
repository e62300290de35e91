from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.program.call_tree import call_tree
from tensordbg.analysis.view.graphs.node_health import NodeEvents, events_at_nodes, key_of_event
from tensordbg.analysis.view.opened import OpenedTrace
from tests.analysis.view.loop_trace import loop_trace


def test_key_is_without_the_numbers_of_the_runtime() -> None:
    trace = loop_trace()
    assert key_of_event(trace.opened, trace.of(0, "exp1")) == "while/body/model/Exp"
    assert key_of_event(trace.opened, trace.of(0, "y")) == "y"


def test_outside_of_the_loop_the_nearest_turn_counts() -> None:
    trace = loop_trace()
    program = trace.opened.program
    function = next(each for each in program.functions.values() if each.name == "step")
    nodes = list(call_tree(program, function).instances.values())
    for centre, turn in (("y", 0), ("doubled", 2)):
        found = events_at_nodes(trace.opened, nodes, trace.of(1, centre))
        assert found["while/body/model/Exp"].rows[0].event == trace.of(1, f"exp{turn}")
        assert found["y"].rows[0].event == trace.of(1, "y")
    assert found["while/body/model/Exp"].events == 6
    assert not events_at_nodes(trace.opened, nodes, None)["y"].rows


@pytest.mark.parametrize(
    ("events", "bad", "row", "health"),
    [
        (0, 0, None, "unrecorded"),
        (4, 0, None, "fine"),
        (4, 1, None, "bad_elsewhere"),
        (4, 1, 9, "bad"),
        (4, 1, 8, "bad_elsewhere"),
        (4, 0, 8, "fine"),
    ],
)
def test_health(opened: OpenedTrace, events: int, bad: int, row: int | None, health: str) -> None:
    rows = {} if row is None else {0: opened.row(row)}
    assert NodeEvents(rows, events, bad).health == health


def test_unmeasured(opened: OpenedTrace) -> None:
    assert NodeEvents({0: replace(opened.row(0), health=None)}, 3, 0).health == "unmeasured"
