from __future__ import annotations

from tensordbg.analysis.view.graphs.around_execution import eager_part
from tensordbg.analysis.view.graphs.around_operation import graph_part
from tensordbg.analysis.view.requests import Centre
from tensordbg.wire.view.graph import EdgeView, GraphView, NodeView, eager_view, graph_view
from tests.analysis.view.loop_trace import LoopTrace, loop_trace


def graph(trace: LoopTrace, centre: Centre, origins: frozenset[int]) -> GraphView:
    part = graph_part(trace.opened, centre)
    assert part is not None
    return graph_view(trace.opened, part, origins)


def test_graph_of_a_function() -> None:
    trace = loop_trace()
    origin = trace.of(1, "exp2")
    view = graph(trace, Centre(origin, hops=1), frozenset({origin}))
    assert (view.function, view.centre) == ("step", "while/body/model/Exp")
    nodes = {node.node: node for node in view.nodes}
    assert nodes["while/body/model/Exp"] == NodeView(
        node="while/body/model/Exp",
        name="model/Exp",
        title="Exp",
        op_type="Exp",
        scope="model",
        layer="",
        health="bad",
        event=origin,
        origin=True,
        argument=False,
        calls=(),
        opened=False,
        inside="while",
        part="body",
        hidden_inputs=0,
        hidden_consumers=0,
        dtypes=("float32",),
        shapes=((1,),),
        secondary="",
    )
    assert nodes["while"].opened
    assert nodes["while"].calls == ("while_cond_2", "while_body_3")
    assert (nodes["while/body/inside"].argument, nodes["while/body/inside"].hidden_inputs) == (True, 1)
    assert EdgeView("while/body/model/Exp", 0, "while/body/Identity", 0, True) in view.edges


def test_graph_of_eager_code() -> None:
    trace = loop_trace()
    event = trace.of(1, "neg")
    view = eager_view(trace.opened, eager_part(trace.opened, event, 1), frozenset())
    assert (view.function, view.centre) == ("", "execution 6")
    assert [(node.node, node.name, node.op_type, node.calls, node.health) for node in view.nodes] == [
        ("execution 5", "step", "function", ("step",), "bad"),
        ("execution 6", "Neg", "Neg", (), "bad"),
    ]
    assert view.nodes[1].event == event
    assert view.edges == (EdgeView("execution 5", 0, "execution 6", 0, True),)
