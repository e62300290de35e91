from __future__ import annotations

from tensordbg.analysis.view.graphs.box_paths import BoxKind
from tensordbg.analysis.view.graphs.boxes import MOST_INSIDE, BoxTree
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.boxed import boxes_of, in_layer, model_step


def inside(boxes: BoxTree, box: str = "") -> list[str]:
    return boxes.boxes[box].inside


def test_a_function_with_layers_calls_and_scopes() -> None:
    trace = TraceBuilder()
    model_step(trace)
    boxes = boxes_of(trace)
    assert inside(boxes) == ["x", "model/", "PartitionedCall", "loss/", "Identity"]
    assert inside(boxes, "model/") == ["model/first/", "model/second/"]
    # A scope of one operation, `loss/Log/y` of `loss/Log`, tells nothing.
    assert inside(boxes, "loss/") == ["loss/Log/y", "loss/Log", "loss/Mean"]
    assert boxes.boxes["model/"].operations == 4
    # The call is an operation too.
    assert boxes.boxes["PartitionedCall"].operations == 1 + 4
    assert boxes.boxes[""].operations == len(boxes.tree.instances)
    assert list(boxes.around("PartitionedCall/part/mul")) == ["PartitionedCall/part/", "PartitionedCall", ""]
    assert set(boxes.operations_in("model/first/")) == {"model_1/first_1/MatMul", "model_1/first_1/BiasAdd"}
    assert "PartitionedCall" in boxes.operations_in("PartitionedCall")


def test_every_operation_is_in_one_box() -> None:
    trace = TraceBuilder()
    model_step(trace)
    boxes = boxes_of(trace)
    found = [each for box in boxes.boxes.values() for each in box.inside]
    assert len(found) == len(set(found))
    assert set(boxes.operations_in("")) == set(boxes.tree.instances)


def test_a_box_with_a_box_alone_is_joined_with_it() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    for _ in range(2):
        step.op("Exp", name="outer/inner/Exp")
    step.op("Neg", name="lone/Neg")
    step.op("Abs", name="dense_1/Abs", layer=in_layer("dense"))
    boxes = boxes_of(trace)
    assert inside(boxes) == ["outer/inner/", "lone/Neg", "dense_1/Abs"]
    assert boxes.boxes["outer/inner/"].name.label == "outer/inner"


def test_the_scope_of_all_in_the_body_of_a_loop_is_left_out() -> None:
    trace = TraceBuilder()
    body, cond = trace.function("while_body_3"), trace.function("while_cond_2")
    body.op("Const", name="while/Const")
    body.op("Exp", name="while/Exp")
    for name in ("loop_counter", "maximum_iterations"):
        body.argument(f"while/while/{name}")
    cond.op("Less", name="while/Less", dtype="bool")
    step = trace.function("step")
    step.loop(cond, body)
    boxes = boxes_of(trace)
    assert inside(boxes, "while") == ["while:cond", "while:body"]
    assert inside(boxes, "while:body") == [
        "while/body/while/Const",
        "while/body/while/Exp",
        "while/body/while/while/loop_counter",
        "while/body/while/while/maximum_iterations",
    ]


def test_many_arguments_have_a_box() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    given = [step.argument(f"a{number}") for number in range(9)]
    step.op("AddN", *given)
    boxes = boxes_of(trace)
    assert inside(boxes) == ["#arguments", "AddN"]
    assert boxes.boxes["#arguments"].operations == 9
    assert boxes.parent["a3"] == "#arguments"


def test_flat_operations_are_grouped_by_line_where_that_tells_something() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    lines = {}
    for number in range(MOST_INSIDE + 20):
        step.op("Exp", name=f"op{number}")
        lines[f"op{number}"] = "train.py:3" if number < 50 else "train.py:4"
    boxes = boxes_of(trace, lines=lines)
    kinds = [(boxes.boxes[each].name.kind, boxes.boxes[each].name.label) for each in inside(boxes)]
    assert kinds == [(BoxKind.LINE, "train.py:3"), (BoxKind.LINE, "train.py:4")]


def test_an_unrolled_loop_is_divided_by_its_order() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    lines = {}
    for number in range(5000):
        step.op("Exp", name=f"op{number}")
        lines[f"op{number}"] = f"train.py:{3 + number % 2}"
    boxes = boxes_of(trace, lines=lines)
    assert all(len(box.inside) <= MOST_INSIDE for box in boxes.boxes.values())
    assert boxes.boxes[""].operations == 5000
    first = boxes.boxes[inside(boxes)[0]]
    assert (first.name.kind, first.name.label) == (BoxKind.SOME, "op0 … op124")


def test_boxes_stay_where_operations_between_them_are_grouped() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    for number in range(50):
        step.op("Exp", name=f"before{number}")
    for _ in range(2):
        step.op("Exp", name="scope/Exp")
    for number in range(50):
        step.op("Exp", name=f"after{number}")
    boxes = boxes_of(trace)
    assert [boxes.boxes[each].name.label for each in inside(boxes)] == [
        "before0 … before49",
        "scope",
        "after0 … after49",
    ]


def test_few_operations_without_scopes_stay_as_they_are() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    for number in range(MOST_INSIDE):
        step.op("Exp", name=f"op{number}")
    assert len(inside(boxes_of(trace))) == MOST_INSIDE
