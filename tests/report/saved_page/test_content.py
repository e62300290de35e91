from __future__ import annotations

import re
from pathlib import Path

import pytest

from tensordbg import __version__
from tensordbg.report.saved_page import process
from tests.report.saved import PLENTY, content_of, content_with_room
from tests.sample_trace import TENSOR_EVENTS, make_sample_trace


def test_it_holds_the_findings_and_their_events(sample: Path) -> None:
    content = content_of(sample)
    (process,) = content["processes"]
    (finding,) = content["findings"]["findings"]
    event = finding["event"]["event"]
    assert finding["cause"] == "log_of_zero"
    assert event in [each["event"] for each in process["events"]]
    assert event in [each["event"] for each in process["graphs"]]
    assert [each["execution"] for each in process["executions"]]
    assert next(each["tensor"] for each in process["tensors"]) == finding["event"]["tensor"]
    assert process["timeline"]["executions"] == 6
    assert len(process["rows"]) == TENSOR_EVENTS


def test_all_that_is_named_by_number_is_there(sample: Path) -> None:
    content = content_of(sample)
    (process,) = content["processes"]
    rows = {each["event"] for each in process["rows"]}
    for event in process["events"]:
        assert {each["row"] for each in (*event["inputs"], *event["consumers"])} <= rows | {None}
        assert {event["event"]} <= rows
        assert all(line < len(content["lines"]) for line in content["stacks"][event["stack"]])


def test_it_says_what_it_is(sample: Path) -> None:
    overview = content_of(sample)["overview"]
    assert f"by tensordbg {__version__} from {sample}; it holds what surrounds the findings" in overview["notes"][0]
    assert overview["editor"] == ""
    assert [each["running"] for each in overview["processes"]] == [False]
    assert [each["live"]["running"] for each in content_of(sample)["processes"]] == [False]


@pytest.mark.parametrize("depth", [1, 20])
def test_what_has_no_room_is_left_out_and_named(tmp_path: Path, depth: int) -> None:
    sample = make_sample_trace(tmp_path.joinpath(*["a-folder"] * depth))
    whole = content_of(sample)
    part = content_with_room(sample, 7_000)
    assert "left out" not in " ".join(whole["overview"]["notes"])
    assert "left out, to keep the page small: " in part["overview"]["notes"][1]
    assert len(part["processes"][0]["rows"]) < len(whole["processes"][0]["rows"])
    # The findings themselves come first.
    assert len(part["findings"]["findings"]) == 1


def test_no_more_is_asked_for_than_is_worth_the_time(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(process._MOST, "events", 2)
    content = content_of(sample)
    assert len(content["processes"][0]["events"]) == 2
    assert re.search(r"left out, to keep the page small: \d+ tensor events;", content["overview"]["notes"][1])


def test_findings_that_have_no_room_are_counted(sample: Path) -> None:
    part = content_with_room(sample, 1_500)
    assert part["findings"]["findings"] == []
    assert "1 findings" in part["overview"]["notes"][1]


@pytest.mark.parametrize("room", [1_000, 7_000, PLENTY])
def test_each_process_of_a_run(sample_run: Path, room: int) -> None:
    content = content_with_room(sample_run, room)
    names = [each["process"] for each in content["overview"]["processes"]]
    assert names == ["worker 0", "worker 1"]
    assert [each["process"] for each in content["processes"]] == names
    assert content["runs"]["runs"][0]["processes"] == names
