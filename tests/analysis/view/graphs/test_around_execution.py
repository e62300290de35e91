from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.view.graphs.around_execution import ExecutionWire, eager_part
from tensordbg.errors import AbsentError
from tests.analysis.view.loop_trace import loop_trace


def test_executions_around_an_event() -> None:
    trace = loop_trace()
    near = eager_part(trace.opened, trace.of(1, "neg"), 1)
    # Of the second step: the eager value, the call, the negation are rows 3, 4 and 5.
    assert (near.centre, [node.row for node in near.nodes]) == (5, [4, 5])
    assert near.wires == (ExecutionWire(4, 0, 5, 0, bad=True),)
    assert [(node.hidden_inputs, node.hidden_consumers, node.bad) for node in near.nodes] == [
        (1, 0, True),
        (0, 0, True),
    ]
    far = eager_part(trace.opened, trace.of(1, "neg"), 2)
    assert [node.row for node in far.nodes] == [3, 4, 5]
    assert [node.bad for node in far.nodes] == [False, True, True]
    assert [wire.bad for wire in far.wires] == [False, True]
    assert [row.event for row in far.nodes[0].events] == [trace.of(1, "given")]


def test_of_a_call_what_is_bad_comes_first() -> None:
    trace = loop_trace()
    call = eager_part(trace.opened, trace.of(1, "given"), 1).nodes[1]
    assert [row.event for row in call.events[:2]] == [trace.of(1, "exp2"), trace.of(1, "doubled")]


def test_no_such_event() -> None:
    with pytest.raises(AbsentError):
        eager_part(loop_trace().opened, 99, 1)


def test_the_execution_of_an_event_is_lost() -> None:
    trace = loop_trace()
    event, executions = trace.of(1, "neg"), trace.opened.executions
    for moved in (100, -100):
        trace.opened.__dict__["executions"] = replace(executions, number=executions.number + moved)
        with pytest.raises(AbsentError, match="which the trace does not hold"):
            eager_part(trace.opened, event, 1)
