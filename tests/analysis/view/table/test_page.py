from __future__ import annotations

import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.requests import EventList
from tensordbg.analysis.view.table.page import next_event, place_of, read_page
from tensordbg.errors import AbsentError, UsageError

LISTS = [
    EventList(),
    EventList(descending=True),
    EventList("nonfinite"),
    EventList("op:Log", descending=True),
    EventList("", "max", True),
    EventList("dense", "min"),
]


def all_events(opened: OpenedTrace, wanted: EventList) -> list[int]:
    return [row.event for row in read_page(opened, wanted, 0, opened.event_count).rows]


@pytest.mark.parametrize("wanted", LISTS, ids=str)
def test_pages_are_parts_of_the_list(varied: OpenedTrace, wanted: EventList) -> None:
    everything = all_events(varied, wanted)
    total = len(everything)
    assert total > 10
    for begin, count in ((0, 7), (5, 20), (total - 3, 50), (total, 5), (total + 100, 5)):
        page = read_page(varied, wanted, begin, count)
        assert (page.total, page.begin) == (total, begin)
        assert [row.event for row in page.rows] == everything[begin : begin + count]
        assert page.revision == varied.growth.revision


@pytest.mark.parametrize("wanted", LISTS, ids=str)
def test_place_is_the_row(varied: OpenedTrace, wanted: EventList) -> None:
    everything = all_events(varied, wanted)
    places = {event: place_of(varied, wanted, event) for event in range(varied.event_count)}
    assert {event: place for event, place in places.items() if place is not None} == {
        event: row for row, event in enumerate(everything)
    }


def test_next_and_previous(varied: OpenedTrace) -> None:
    found = all_events(varied, EventList("nonfinite"))
    for event in range(-1, varied.event_count):
        later = [each for each in found if each > event]
        earlier = [each for each in found if each < event]
        forward, backward = (next_event(varied, "nonfinite", event, way) for way in ("forward", "backward"))
        assert forward == ((later[0], found.index(later[0])) if later else None)
        assert backward == ((earlier[-1], found.index(earlier[-1])) if earlier else None)


def test_next_of_all_events(varied: OpenedTrace) -> None:
    assert next_event(varied, "", -1, "forward") == (0, 0)
    assert next_event(varied, "", 4, "backward") == (3, 3)
    assert next_event(varied, "", varied.event_count - 1, "forward") is None
    assert next_event(varied, "", 10**15, "backward") == (varied.event_count - 1,) * 2


def test_mistakes(varied: OpenedTrace) -> None:
    with pytest.raises(UsageError, match="'up' is no direction; choose one of forward, backward"):
        next_event(varied, "", 0, "up")
    with pytest.raises(AbsentError, match=r"no event 100000; the trace has \d+, numbered from 0"):
        place_of(varied, EventList(), 100_000)
    with pytest.raises(UsageError, match="no key"):
        read_page(varied, EventList("zzz:a"), 0, 5)
