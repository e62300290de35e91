from __future__ import annotations

import pytest

from tensordbg.analysis.view.graphs.around_operation import GraphPart, graph_part
from tensordbg.analysis.view.requests import Centre
from tensordbg.errors import AbsentError, UsageError
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.built import opened_builder
from tests.analysis.view.loop_trace import LoopTrace, loop_trace


def around(trace: LoopTrace, step: int, name: str, **rest: object) -> GraphPart:
    part = graph_part(trace.opened, Centre(trace.of(step, name), **rest))  # type: ignore[arg-type]
    assert part is not None
    return part


def wires(part: GraphPart) -> set[tuple[str, str]]:
    return {(wire.source, wire.target) for wire in part.wires}


def test_around_an_event_calls_stay_closed() -> None:
    part = around(loop_trace(), 1, "y", hops=2)
    assert (part.function.name, part.centre) == ("step", "y")
    assert set(part.keys) == {"x", "y", "while", "doubled"}
    assert wires(part) == {("x", "y"), ("y", "while"), ("while", "doubled")}
    assert part.hidden_consumers == {"doubled": 1}
    assert not part.tree.opened


def test_the_call_around_an_event_is_opened() -> None:
    part = around(loop_trace(), 1, "exp1", hops=2)
    assert part.centre == "while/body/model/Exp"
    assert part.tree.opened == {"while"}
    assert ("while/body/inside", "while/body/model/Exp") in wires(part)
    assert ("y", "while/body/inside") in wires(part)
    assert ("while/body/Identity", "while") in wires(part)


def test_a_call_opens_when_asked_for() -> None:
    trace = loop_trace()
    closed, opened = (around(trace, 1, "y", hops=6, opened=calls) for calls in ((), ("while",)))
    assert not any(key.startswith("while/") for key in closed.keys)
    assert {"while", "while/body/model/Exp", "while/cond/Less"} <= set(opened.keys)
    assert ("y", "while") in wires(closed)
    assert ("y", "while") not in wires(opened)


def test_health_is_that_of_the_chosen_turn() -> None:
    trace = loop_trace()
    for turn, health in ((1, "bad_elsewhere"), (2, "bad")):
        part = around(trace, 1, f"exp{turn}", hops=1)
        node = part.events["while/body/model/Exp"]
        assert (node.health, node.rows[0].event) == (health, trace.of(1, f"exp{turn}"))


def test_a_function_without_an_event() -> None:
    trace = loop_trace()
    part = graph_part(trace.opened, Centre(function="step", operation="doubled", hops=1))
    assert part is not None
    assert set(part.keys) == {"while", "doubled", "Identity"}
    assert not part.events["doubled"].rows
    assert part.events["doubled"].health == "bad_elsewhere"
    whole = graph_part(trace.opened, Centre(function="step"))
    assert whole is not None
    assert whole.centre == "Identity"


def test_very_many_consumers_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensordbg.analysis.view.graphs.around_operation.MOST_NODES", 10)
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.op("Exp")
    for _ in range(50):
        f.op("Log", x)
    trace.run(f).event(x, [1.0])
    part = graph_part(opened_builder(trace), Centre(0, hops=2))
    assert part is not None
    assert len(part.keys) == 10
    assert part.hidden_consumers == {"Exp": 41}


def test_eager_code_has_no_graph() -> None:
    trace = loop_trace()
    assert graph_part(trace.opened, Centre(trace.of(0, "neg"))) is None


def test_mistakes() -> None:
    opened = loop_trace().opened
    with pytest.raises(AbsentError, match="no event 99;"):
        graph_part(opened, Centre(99))
    with pytest.raises(UsageError, match="no function 'stpe'; choose one of step"):
        graph_part(opened, Centre(function="stpe"))
    with pytest.raises(UsageError, match="no operation 'zzz'"):
        graph_part(opened, Centre(function="step", operation="zzz"))
