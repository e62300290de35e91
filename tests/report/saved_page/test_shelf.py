from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tensordbg.report.saved_page.shelf import ProcessShelf, Room, Stacks, to_json
from tensordbg.wire.view.events import EventRow, EventView, InputRow
from tensordbg.wire.view.source import LineView

OUTER = LineView("/home/me/train.py", 9, "<module>", user=True, text="main()")
INNER = LineView("/home/me/train.py", 4, "main", user=True, text="tf.math.log(x)")


def row(event: int) -> EventRow:
    file = "/home/me/train.py"
    return EventRow(
        event,
        f"Log:{event}",
        "Log",
        "f",
        "f",
        0,
        0,
        None,
        (),
        "",
        "",
        "float32",
        (2,),
        None,
        file,
        4,
        kept=False,
        text="",
        layer="",
    )


def view(event: int, *inputs: int, stack: tuple[LineView, ...] = (OUTER, INNER)) -> EventView:
    given = tuple(InputRow(k, f"x:{each}", "Log", row(each), "", "") for k, each in enumerate(inputs))
    return EventView(
        row=row(event),
        op_name="Log",
        slot=0,
        outputs=1,
        time_ns=0,
        thread=1,
        asked="",
        first_bad_index=None,
        attributes="{}",
        inputs=given,
        consumers=(InputRow(0, "lost", "Neg", None, "", ""),),
        consumers_total=1,
        source=INNER,
        stack=stack,
        notes=(),
        finding=None,
        came_from=(),
    )


@pytest.fixture
def stacks() -> Stacks:
    return Stacks()


def content(shelf: ProcessShelf) -> dict[str, list[dict[str, object]]]:
    return json.loads(to_json(shelf.content()))  # type: ignore[no-any-return]


def test_json_can_stand_in_a_script() -> None:
    text = to_json({"a": "</script><!--"})
    assert b"<" not in text
    assert json.loads(text) == {"a": "</script><!--"}


def test_rows_and_stacks_are_there_once(stacks: Stacks) -> None:
    shelf = ProcessShelf(Room(10**6), stacks)
    assert shelf.put_event(view(7, 5, 3))
    assert shelf.put_event(view(5, 3))
    assert shelf.put_event(view(5, 3))
    made = content(shelf)
    assert [each["event"] for each in made["rows"]] == [3, 5, 7]
    assert [each["event"] for each in made["events"]] == [7, 5]
    assert [each["row"] for each in made["events"][0]["inputs"]] == [5, 3]  # type: ignore[attr-defined]
    assert [each["row"] for each in made["events"][0]["consumers"]] == [None]  # type: ignore[attr-defined]
    assert (stacks.lines, stacks.stacks) == ([OUTER, INNER], [[0, 1]])
    assert made["timeline"] is None


def test_stacks_share_lines(stacks: Stacks) -> None:
    assert [stacks.number((OUTER, INNER)), stacks.number((OUTER,)), stacks.number((OUTER, INNER))] == [0, 1, 0]
    assert (stacks.lines, stacks.stacks) == ([OUTER, INNER], [[0, 1], [0]])


def test_nothing_is_half_there(stacks: Stacks) -> None:
    room = Room(900)
    shelf = ProcessShelf(room, stacks)
    assert not shelf.put_event(view(7, 5, 3))
    assert content(shelf)["rows"] == []
    assert (room.left, room.omitted) == (900, {"events": 1})
    assert (stacks.lines, shelf.has("events", 7), shelf.events) == ([], False, 0)


def test_a_thing_is_kept_once(stacks: Stacks) -> None:
    room = Room(100)
    shelf = ProcessShelf(room, stacks)
    assert shelf.put("sources", "a.py", {"text": "x"})
    left = room.left
    assert shelf.put("sources", "a.py", {"text": "another"})
    assert room.left == left
    assert not shelf.put("sources", "b.py", {"text": "x" * 100})
    assert content(shelf)["sources"] == [{"text": "x"}]
    assert room.omitted == {"sources": 1}


def test_no_more_is_written_than_there_is_room(stacks: Stacks) -> None:
    room = Room(20_000)
    shelf = ProcessShelf(room, stacks)
    for event in range(100):
        shelf.put_event(view(event, event + 1, stack=(replace(OUTER, line=event), INNER)))
    parts = [shelf.content(), stacks.lines, stacks.stacks]
    # What is empty, and the names of the parts.
    assert 15_000 < sum(len(to_json(part)) for part in parts) < 20_000 + 120
    assert room.omitted["events"] == 100 - shelf.events
