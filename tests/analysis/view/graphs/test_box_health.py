from __future__ import annotations

from tensordbg.analysis.program.call_tree import CallTree, call_tree
from tensordbg.analysis.view.graphs.box_health import Inside, recorded_at
from tests.analysis.view.loop_trace import LoopTrace, loop_trace

BODY = ["while/body/inside", "while/body/model/Exp"]


def tree_of(trace: LoopTrace) -> CallTree:
    program = trace.opened.program
    return call_tree(program, next(each for each in program.functions.values() if each.name == "step"))


def test_what_is_bad_in_a_later_turn_counts() -> None:
    trace = loop_trace()
    origin = trace.of(1, "exp2")
    for event in (trace.of(1, "exp0"), trace.of(1, "y"), origin):
        recorded = recorded_at(trace.opened, tree_of(trace), event, {origin})
        assert recorded.inside(BODY) == Inside("bad", 1, True)
        assert recorded.bad_tensors == {("while/body/model/Exp", 0), ("doubled", 0)}


def test_another_execution_is_elsewhere() -> None:
    trace = loop_trace()
    recorded = recorded_at(trace.opened, tree_of(trace), trace.of(0, "y"), {trace.of(1, "exp2")})
    assert recorded.inside(BODY) == Inside("bad_elsewhere", 1, False)
    assert recorded.inside(["y"]) == Inside("fine", 0, False)
    assert recorded.inside(["x"]) == Inside("unrecorded", 0, False)
    assert recorded.inside([]) == Inside("unrecorded", 0, False)


def test_without_an_execution_all_count() -> None:
    trace = loop_trace()
    recorded = recorded_at(trace.opened, tree_of(trace), None, {trace.of(1, "exp2")})
    assert recorded.inside(BODY) == Inside("bad", 1, False)
    assert recorded.bad == {"while/body/model/Exp", "doubled"}
