from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tensordbg.analysis.view.graphs.whole import whole_graph
from tensordbg.analysis.view.requests import Whole
from tensordbg.report.saved_page.deep_whole import deep_whole
from tensordbg.trace.folders.runs import find_run
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.whole_graph import BundleView, WholeView, whole_view
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.boxed import model_step
from tests.analysis.view.built import opened_builder
from tests.analysis.view.loop_trace import loop_trace

Ask = Callable[[Whole], WholeView]
PLENTY = 1_000_000


def asked_of_the_model(asked: Whole) -> WholeView:
    trace = TraceBuilder()
    trace.run(model_step(trace))
    opened = opened_builder(trace)
    graph = whole_graph(opened, asked, ())
    assert graph is not None
    return whole_view(opened, graph, ())


def asked_of_the_loop(asked: Whole) -> WholeView:
    opened = loop_trace().opened
    graph = whole_graph(opened, asked, ())
    assert graph is not None
    return whole_view(opened, graph, ())


@pytest.mark.parametrize("ask", [asked_of_the_model, asked_of_the_loop])
def test_all_boxes_are_open_and_those_that_would_be_are_named(ask: Ask) -> None:
    graph = deep_whole(ask, Whole(), PLENTY)
    assert all(box.opened for box in graph.view.boxes)
    assert set(graph.open) >= {box.box for box in ask(Whole()).boxes if box.opened}


def asked_of_a_closed_scope(asked: Whole) -> WholeView:
    """Answers of a function with nearly all of a scope in an inner one."""
    trace = TraceBuilder()
    step = trace.function("step")
    value = step.argument("x")
    for op_type in ("Exp", "Tan", "Log", "Abs", "Neg", "Sqrt", "Tanh"):
        value = step.op(op_type, value, name=f"a/b/{op_type}")
    for name in ("a/Sin", *(f"y/{op_type}" for op_type in ("Sin", "Cos", "Exp", "Log", "Tan", "Abs"))):
        value = step.op(name.rpartition("/")[2], value, name=name)
    step.returns(value)
    trace.run(step)
    opened = opened_builder(trace)
    graph = whole_graph(opened, asked, ())
    assert graph is not None
    return whole_view(opened, graph, ())


def test_boxes_in_closed_ones_that_would_be_open_by_themselves_are_named() -> None:
    at_first = asked_of_a_closed_scope(Whole(closed=("a/",)))
    assert not any(box.opened for box in at_first.boxes)
    by_hand = asked_of_a_closed_scope(Whole(opened=("a/",)))
    expected = {box.box for box in by_hand.boxes if box.opened and box.inside}
    assert expected
    assert set(deep_whole(asked_of_a_closed_scope, Whole(), PLENTY).open) >= expected


@pytest.mark.parametrize("ask", [asked_of_the_model, asked_of_the_loop])
def test_what_is_in_closed_boxes_taken_away_leaves_the_graph_with_these_closed(
    ask: Ask,
) -> None:
    deep = deep_whole(ask, Whole(), PLENTY).view
    for closed in deep.boxes:
        wanted = ask(Whole(opened=tuple(box.box for box in deep.boxes if box is not closed), closed=(closed.box,)))
        gone = {closed.box}
        for box in deep.boxes:
            gone |= {box.box} if box.inside in gone else set()
        assert {node.node for node in deep.nodes if node.inside not in gone} == {node.node for node in wanted.nodes}
        assert _told(bundle for bundle in deep.bundles if bundle.box not in gone) == _told(wanted.bundles)


def _told(bundles: Iterable[BundleView]) -> set[BundleView]:
    return set(bundles)


def test_without_room_it_is_as_it_is_at_first(sample: Path) -> None:
    ask = functools.partial(RunAnswers(find_run(sample)).whole, "")
    assert deep_whole(ask, Whole(), 10).view == ask(Whole())
    assert deep_whole(asked_of_the_model, Whole(), 10).view == asked_of_the_model(Whole())
