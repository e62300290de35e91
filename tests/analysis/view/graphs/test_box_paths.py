from __future__ import annotations

from tensordbg.analysis.program.call_tree import CallTree
from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.analysis.view.graphs.box_paths import BoxKind, BoxName, BoxPaths
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.boxed import in_layer, model_step, tree_of


def around(tree: CallTree, key: str) -> list[tuple[str, BoxKind, str]]:
    found = BoxPaths(tree, layer_path).around(tree.instances[key])
    return [(name.box, name.kind, name.label) for name in found]


def test_scopes_and_calls_around_an_operation() -> None:
    trace = TraceBuilder()
    model_step(trace)
    tree = tree_of(trace, "step")
    assert around(tree, "x") == []
    assert around(tree, "loss/Log/y") == [("loss/", BoxKind.SCOPE, "loss"), ("loss/Log/", BoxKind.SCOPE, "Log")]
    call = ("PartitionedCall", BoxKind.CALL, "norm")
    assert around(tree, "PartitionedCall/part/mul") == [call, ("PartitionedCall/part/", BoxKind.SCOPE, "part")]
    assert around(tree, "PartitionedCall") == []


def test_the_scopes_that_keras_makes_of_layers_are_those_layers() -> None:
    trace = TraceBuilder()
    f = trace.function("step")
    f.op("Add", name="model_1/dense_2/add/Add", layer=in_layer("model/dense"))
    f.op("Sub", name="elsewhere/Sub", layer=in_layer("model/dense"))
    tree = tree_of(trace, "step")
    layers = [("model/", BoxKind.LAYER, "model"), ("model/dense/", BoxKind.LAYER, "dense")]
    assert around(tree, "model_1/dense_2/add/Add") == [*layers, ("model/dense/add/", BoxKind.SCOPE, "add")]
    assert around(tree, "elsewhere/Sub") == layers


def test_the_parts_of_a_loop() -> None:
    trace = TraceBuilder()
    body, cond = trace.function("while_body_3"), trace.function("while_cond_2")
    body.returns(body.op("Exp", body.argument("inside"), name="deep/Exp"))
    cond.returns(cond.op("Less", cond.argument("tested"), dtype="bool"))
    step = trace.function("step")
    step.loop(cond, body, step.argument("x"))
    tree = tree_of(trace, "step")
    assert around(tree, "while/body/deep/Exp") == [
        ("while", BoxKind.CALL, "while"),
        ("while:body", BoxKind.PART, "body"),
        ("while/body/deep/", BoxKind.SCOPE, "deep"),
    ]
    assert around(tree, "while/cond/Less")[1] == ("while:cond", BoxKind.PART, "cond")


def test_very_deep_scopes_end_in_one_box() -> None:
    trace = TraceBuilder()
    trace.function("step").op("Exp", name="/".join(["deep"] * 5000) + "/Exp")
    tree = tree_of(trace, "step")
    (key,) = tree.instances
    assert len(around(tree, key)) == 24


def test_a_call_has_the_name_of_what_it_calls() -> None:
    trace = TraceBuilder()
    model_step(trace)
    tree = tree_of(trace, "step")
    call = BoxPaths(tree, layer_path).call(tree.instances["PartitionedCall"])
    assert call == BoxName("PartitionedCall", BoxKind.CALL, "norm")
