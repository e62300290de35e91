from __future__ import annotations

from tensordbg.analysis.view.graphs.boxes import BoxTree
from tensordbg.analysis.view.graphs.bundles import Bundle, bundled
from tensordbg.analysis.view.graphs.wires import Wire
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.boxed import boxes_of


def two_boxes() -> BoxTree:
    """Operations a/one, a/two, b/three, b/c/four, b/c/five and out."""
    trace = TraceBuilder()
    step = trace.function("step")
    for name in ("a/one", "a/two", "b/three", "b/c/four", "b/c/five", "out"):
        step.op("Exp", name=name)
    return boxes_of(trace)


WIRES = [
    Wire("a/one", 0, "a/two", 0),
    Wire("a/one", 0, "b/c/four", 0),
    Wire("a/two", 0, "b/c/five", 0),
    Wire("a/two", 1, "b/three", 0),
    Wire("b/c/five", 0, "out", 0),
]


def seen(boxes: BoxTree, *closed: str) -> dict[str, str]:
    """What each thing is seen as when some boxes are closed."""
    at = {thing: thing for thing in boxes.parent}
    for box in closed:
        at |= {thing: box for thing in boxes.parent if box in boxes.around(thing)}
    return at


def ends(bundles: tuple[Bundle, ...]) -> dict[tuple[str, str, str], int]:
    return {(each.box, each.source, each.target): len(each.tensors) for each in bundles}


def test_all_tensors_between_closed_boxes_are_one_bundle() -> None:
    boxes = two_boxes()
    found = bundled(boxes, WIRES, seen(boxes, "a/", "b/"), {("a/two", 1)})
    assert ends(found) == {("", "a/", "b/"): 3, ("", "b/", "out"): 1}
    assert [each.bad for each in found] == [True, False]


def test_in_open_boxes_tensors_come_in_and_leave_at_the_border() -> None:
    boxes = two_boxes()
    found = bundled(boxes, WIRES, seen(boxes, "b/c/"), set())
    assert ends(found) == {
        ("a/", "a/one", "a/two"): 1,
        ("", "a/", "b/"): 3,
        ("a/", "a/one", ""): 1,
        ("a/", "a/two", ""): 2,
        ("b/", "", "b/c/"): 2,
        ("b/", "", "b/three"): 1,
        ("b/", "b/c/", ""): 1,
        ("", "b/", "out"): 1,
    }


def test_the_result_of_an_open_call_leaves_it() -> None:
    trace = TraceBuilder()
    inner = trace.function("inner")
    inner.returns(inner.op("Exp", inner.argument("given")))
    step = trace.function("step")
    step.op("Neg", *step.call(inner, step.argument("x")))
    boxes = boxes_of(trace)
    wires = [Wire("PartitionedCall/Exp", 0, "PartitionedCall", 0), Wire("PartitionedCall", 0, "Neg", 0)]
    assert ends(bundled(boxes, wires, seen(boxes), set())) == {
        ("PartitionedCall", "PartitionedCall/Exp", ""): 1,
        ("", "PartitionedCall", "Neg"): 1,
    }
