from __future__ import annotations

import pytest

from tensordbg.analysis.view.graphs.whole import MOST_SEEN, WholeGraph, whole_graph
from tensordbg.analysis.view.requests import Whole
from tensordbg.errors import AbsentError, UsageError
from tensordbg.model import TensorRef
from tests.analysis.builder import TraceBuilder, nan
from tests.analysis.view.boxed import model_step
from tests.analysis.view.built import opened_builder
from tests.analysis.view.loop_trace import LoopTrace, loop_trace


def whole(trace: LoopTrace | TraceBuilder, asked: Whole) -> WholeGraph:
    found = whole_graph(trace.opened if isinstance(trace, LoopTrace) else opened_builder(trace), asked, ())
    assert found is not None
    return found


def is_open(graph: WholeGraph) -> dict[str, bool]:
    return {each.box.name.box: each.opened for each in graph.boxes}


def bad_model() -> tuple[TraceBuilder, int]:
    trace = TraceBuilder()
    step = model_step(trace)
    (log,) = (row["site"] for row in trace.sites if row["name"] == "loss/Log")
    return trace, trace.run(step).event(TensorRef(log, 0), [nan])


def test_without_an_event_the_function_that_matters_most_with_its_boxes_closed() -> None:
    trace, _ = bad_model()
    graph = whole(trace, Whole())
    assert graph.whole.function.name == "step"
    assert is_open(graph) == {"model/": False, "PartitionedCall": False, "loss/": False}
    assert graph.operations == ("x", "Identity")
    assert {each.box.name.box: each.inside.health for each in graph.boxes}["loss/"] == "bad"
    assert graph.inside.bad == 1
    assert {(each.source, each.target) for each in graph.bundles} == {
        ("x", "model/"),
        ("model/", "PartitionedCall"),
        ("PartitionedCall", "loss/"),
        ("loss/", "Identity"),
    }


def test_open_down_to_the_operation_of_an_event() -> None:
    trace, event = bad_model()
    graph = whole(trace, Whole(event))
    assert graph.centre == "loss/Log"
    assert is_open(graph)["loss/"]
    assert not is_open(graph)["model/"]
    assert is_open(whole(trace, Whole(event, closed=("loss/",)))) == dict.fromkeys(is_open(graph), False)


def test_chosen_boxes_are_open_as_far_as_those_around_them_are() -> None:
    trace, event = bad_model()
    graph = whole(trace, Whole(event, opened=("model/", "model/first/", "no such box")))
    assert is_open(graph) == {
        "model/": True,
        "PartitionedCall": False,
        "loss/": True,
        "model/first/": True,
        "model/second/": False,
    }
    assert "model/first/" not in is_open(whole(trace, Whole(event, opened=("model/first/",))))


def test_a_loop_opens_with_its_parts_and_with_the_turn_that_is_bad() -> None:
    trace = loop_trace()
    graph = whole(trace, Whole(trace.of(1, "exp0")))
    assert is_open(graph) == {"while": True, "while:cond": True, "while:body": True}
    assert graph.centre == "while/body/model/Exp"
    assert "while/body/model/Exp" in graph.bad
    assert graph.events["while/body/model/Exp"].rows[0].event == trace.of(1, "exp0")


def test_a_box_with_nearly_all_in_it_is_open() -> None:
    trace = TraceBuilder()
    inner = trace.function("inner")
    for _ in range(20):
        inner.op("Exp")
    step = trace.function("step")
    step.call(inner)
    trace.run(step)
    assert is_open(whole(trace, Whole())) == {"PartitionedCall": True}


def test_no_more_is_opened_than_can_be_seen() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    names = [f"scope{number}" for number in range(20)]
    for name in names:
        for _ in range(50):
            step.op("Exp", name=f"{name}/Exp")
    trace.run(step)
    graph = whole(trace, Whole(opened=tuple(f"{name}/" for name in names)))
    assert len(graph.operations) + len(graph.boxes) <= MOST_SEEN
    assert graph.unopened == list(is_open(graph).values()).count(False) > 0


def test_another_function_than_that_of_the_event() -> None:
    trace, event = bad_model()
    graph = whole(trace, Whole(event, function="norm"))
    assert (graph.whole.function.name, graph.centre) == ("norm", "")
    with pytest.raises(UsageError, match="no function 'absent'"):
        whole(trace, Whole(function="absent"))


def test_eager_code_is_no_function() -> None:
    trace = loop_trace()
    assert whole_graph(trace.opened, Whole(trace.of(0, "neg")), ()) is None
    with pytest.raises(AbsentError, match="no event 99"):
        whole_graph(trace.opened, Whole(99), ())
    assert whole_graph(opened_builder(TraceBuilder()), Whole(), ()) is None
