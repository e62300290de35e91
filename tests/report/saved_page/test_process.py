from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.analysis.view.requests import Whole
from tensordbg.report.saved_page.process import SavedProcess
from tensordbg.report.saved_page.shelf import ProcessShelf, Room, Stacks
from tensordbg.trace.folders.runs import find_run
from tensordbg.wire.view.answers import RunAnswers
from tests.report.saved import PLENTY
from tests.sample_trace import TENSOR_EVENTS


class Desk:
    """A process of which nothing is kept yet."""

    def __init__(self, trace: Path) -> None:
        self.answers = RunAnswers(find_run(trace))
        self.shelf = ProcessShelf(Room(PLENTY), Stacks())
        self.process = SavedProcess(self.answers, "", self.shelf)
        (finding,) = self.answers.findings().findings
        assert finding.event is not None
        self.finding = finding
        self.bad = finding.event


@pytest.fixture
def desk(sample: Path) -> Desk:
    return Desk(sample)


def test_a_finding_has_wider_graphs_than_what_is_near_it(desk: Desk) -> None:
    (given, *_) = desk.process.add_event(desk.bad.event, 0)
    desk.process.add_event(given.event, 1)
    assert [desk.shelf.has("graphs", (desk.bad.event, hops)) for hops in (1, 2, 3, 4)] == [True, True, True, False]
    assert [desk.shelf.has("graphs", (given.event, hops)) for hops in (1, 2)] == [True, False]


def test_a_finding_has_its_function_as_a_whole(desk: Desk) -> None:
    (given, *_) = desk.process.add_event(desk.bad.event, 0)
    desk.process.add_event(given.event, 1)
    desk.process.add_whole()
    assert [desk.shelf.has("wholes", key) for key in (desk.bad.event, given.event, None)] == [True, False, True]


def test_other_functions_of_the_program_are_kept_as_a_whole(desk: Desk) -> None:
    desk.process.add_whole()
    desk.process.add_functions()
    first, *others = desk.answers.whole("", Whole()).functions
    assert not desk.shelf.has("wholes", str(first.function))
    assert all(desk.shelf.has("wholes", str(each.function)) for each in others)


def test_what_is_far_has_its_details_alone(desk: Desk) -> None:
    desk.process.add_event(desk.bad.event, 3)
    assert desk.shelf.has("events", desk.bad.event)
    assert not desk.shelf.has("tensors", (desk.bad.tensor, desk.bad.function))


def test_an_event_is_looked_at_once(desk: Desk) -> None:
    assert desk.process.add_event(desk.bad.event, 0)
    assert desk.process.add_event(desk.bad.event, 1) == []


def test_what_the_trace_can_not_answer_is_passed_over(desk: Desk) -> None:
    assert desk.process.add_event(10**9, 0) == []
    assert desk.shelf.events == 0


def test_the_rows_around_are_the_nearest_first(desk: Desk) -> None:
    events = [row.event for row in desk.process.add_rows(desk.bad)]
    assert events[0] == desk.bad.event
    assert set(events) == set(range(TENSOR_EVENTS))
    distances = [abs(event - desk.bad.event) for event in events]
    assert distances == sorted(distances)


def test_sources_of_the_user_and_of_libraries(desk: Desk) -> None:
    own = {frame.file for frame in desk.finding.stack if frame.user}
    desk.process.add_sources([desk.finding.stack], user=False)
    assert not any(desk.shelf.has("sources", file) for file in own)
    desk.process.add_sources([desk.finding.stack], user=True)
    held = {each.file for each in desk.process.content()["files"].files}
    assert held == {each.file for each in desk.answers.sources("").files if each.file in own}
    assert held
