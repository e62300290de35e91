from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tensordbg.analysis.view.event.neighbours import Neighbour
from tensordbg.analysis.view.event.one_event import one_event
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.requests import EventList
from tensordbg.analysis.view.search.suggestions import Completion
from tensordbg.analysis.view.table.page import read_page
from tensordbg.trace.reader import open_trace
from tensordbg.wire.view.events import (
    EventRow,
    Suggestions,
    event_row,
    event_view,
    input_rows,
    page_view,
    suggestions_view,
)
from tensordbg.wire.view.health import health_view
from tensordbg.wire.view.source import LineView


@pytest.fixture
def opened(sample: Path) -> OpenedTrace:
    """The sample trace."""
    return OpenedTrace(open_trace(sample))


def test_row(opened: OpenedTrace) -> None:
    seen = opened.row(9)
    assert seen.health is not None
    assert event_row(seen) == EventRow(
        event=9,
        tensor="Log:0",
        op_type="Log",
        function="train",
        function_title="train",
        execution=5,
        step=2,
        iteration=None,
        iterations=(),
        path="",
        device="/device:CPU:0",
        dtype="float32",
        shape=(2, 3),
        health=health_view(seen.health),
        file="/code/train.py",
        line=3,
        kept=False,
        text="",
        layer="",
    )


def test_the_function_of_a_backward_pass_has_a_title_and_is_searched_for_by_its_name(opened: OpenedTrace) -> None:
    row = event_row(replace(opened.row(9), function="__backward_train_191"))
    assert (row.function_title, row.function) == ("gradient of train", "__backward_train_191")


def test_page(opened: OpenedTrace) -> None:
    page = read_page(opened, EventList(), 4, 3)
    view = page_view(page)
    assert (view.revision, view.total, view.begin) == (opened.growth.revision, 12, 4)
    assert [row.event for row in view.rows] == [4, 5, 6]


def test_one_event(opened: OpenedTrace) -> None:
    view = event_view(one_event(opened, 9), finding=0)
    assert (view.op_name, view.slot, view.outputs, view.first_bad_index, view.finding) == ("Log", 0, 1, (0, 2), 0)
    assert [(row.slot, row.tensor, row.row and row.row.event) for row in view.inputs] == [(0, "x:0", 8)]
    assert [(row.tensor, row.row and row.row.event) for row in view.consumers] == [("call", 10)]
    assert view.source == LineView("/code/train.py", 3, "main", True, "import tensorflow")
    assert [line.user for line in view.stack] == [True, False]
    assert (view.attributes, view.row.layer, view.consumers_total) == ("{}", "", 1)


def test_not_recorded_input_has_no_row(opened: OpenedTrace) -> None:
    assert [row.row for row in input_rows(one_event(opened, 0).inputs)] == []


def test_suggestions() -> None:
    assert suggestions_view(Completion(3, ("op:Log",))) == Suggestions(3, ("op:Log",))


def test_an_input_of_a_failed_operation_tells_what_is_known_of_it() -> None:
    refused = Neighbour(0, "x:0", "", None, stated="float32[?, 3]", elements="[[1, 2, 3]]")
    (row,) = input_rows([refused])
    assert (row.row, row.stated, row.elements) == (None, "float32[?, 3]", "[[1, 2, 3]]")
