from __future__ import annotations

import pytest

from tensordbg.analysis.view.event.one_event import one_event
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.why import why
from tensordbg.errors import AbsentError
from tests.analysis.view.loop_trace import loop_trace


def test_all_around_an_origin(opened: OpenedTrace) -> None:
    (origin,) = why(opened.reader).origins
    one = one_event(opened, origin.view.event)
    assert (one.row.tensor, one.first_bad_index) == (origin.view.tensor, origin.first_bad_index)
    assert [each.event for each in one.inputs] == [each.recorded and each.recorded.event for each in origin.inputs]
    assert [each.tensor for each in one.inputs] == [each.tensor for each in origin.inputs]
    assert (one.stack, one.source) == (origin.stack, origin.source)
    assert all(each.row is not None and each.row.event == each.event for each in one.inputs)


def test_notes_of_its_function(opened: OpenedTrace) -> None:
    assert one_event(opened, 2).notes == ("not compiled by XLA",)
    assert one_event(opened, 1).notes == ()


def test_every_event_has_an_answer() -> None:
    opened = loop_trace().opened
    for event in range(opened.event_count):
        one = one_event(opened, event)
        assert one.row.event == event
        assert one.consumers_total == len(one.consumers)


def test_no_such_event(opened: OpenedTrace) -> None:
    with pytest.raises(AbsentError):
        one_event(opened, 12)
