from __future__ import annotations

from tensordbg.analysis.view.graphs.whole import whole_graph
from tensordbg.analysis.view.requests import Whole
from tensordbg.wire.view.whole_graph import BoxView, BundleView, RootFunction, WholeView, whole_view
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.built import opened_builder
from tests.analysis.view.loop_trace import LoopTrace, loop_trace


def view_of(trace: LoopTrace, asked: Whole, origins: frozenset[int] = frozenset()) -> WholeView:
    graph = whole_graph(trace.opened, asked, origins)
    assert graph is not None
    return whole_view(trace.opened, graph, origins)


def test_a_closed_loop_says_what_is_inside() -> None:
    trace = loop_trace()
    origin = trace.of(1, "exp2")
    view = view_of(trace, Whole(origin, closed=("while",)), frozenset({origin}))
    assert view.boxes == (BoxView("while", "", "call", "while", "StatelessWhile", False, 7, "bad", 1, True, ""),)
    assert (view.name, view.functions) == ("step", (RootFunction(view.function or 0, "step", ""),))
    assert (view.operations, view.bad, view.centre) == (11, 2, "while/body/model/Exp")
    assert [node.node for node in view.nodes] == ["x", "y", "doubled", "Identity"]
    assert BundleView("", "y", "while", 1, ("y:0",), "float32", (1,), False) in view.bundles
    assert BundleView("", "while", "doubled", 1, ("while:0",), "float32", None, True) in view.bundles


def test_an_open_loop_has_its_operations() -> None:
    trace = loop_trace()
    origin = trace.of(1, "exp2")
    view = view_of(trace, Whole(origin), frozenset({origin}))
    nodes = {node.node: node for node in view.nodes}
    exp = nodes["while/body/model/Exp"]
    assert (exp.inside, exp.health, exp.event, exp.origin) == ("while:body", "bad", origin, True)
    assert [(box.box, box.inside, box.label, box.opened) for box in view.boxes] == [
        ("while", "", "while", True),
        ("while:cond", "while", "cond", True),
        ("while:body", "while", "body", True),
    ]


def test_without_an_event_a_node_leads_to_what_tells_most_of_it() -> None:
    trace = loop_trace()
    nodes = {node.node: node for node in view_of(trace, Whole()).nodes}
    assert (nodes["doubled"].event, nodes["doubled"].health) == (trace.of(1, "doubled"), "bad")
    assert nodes["Identity"].event is None


def test_a_backward_pass_is_called_the_gradient_of_its_function() -> None:
    trace = TraceBuilder()
    backward = trace.function("__backward_loss_of_191")
    backward.returns(backward.op("Mul", backward.argument("x"), name="scaled"))
    step = trace.function("step")
    (made,) = step.call(backward, step.argument("x"))
    step.returns(made)
    trace.run(step).event(made, [1.0])
    graph = whole_graph(opened_builder(trace), Whole(), ())
    assert graph is not None
    view = whole_view(opened_builder(trace), graph, ())
    assert [box.label for box in view.boxes] == ["gradient of loss_of"]
    named = whole_graph(opened_builder(trace), Whole(function="gradient of loss_of"), ())
    assert named is not None
    assert whole_view(opened_builder(trace), named, ()).name == "gradient of loss_of"
