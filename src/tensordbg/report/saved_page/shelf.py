"""The store of a saved page, as JSON, as long as there is room: rows and stacks once each, named by number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from tensordbg.wire.view.events import EventRow, EventView, InputRow
from tensordbg.wire.view.source import LineView

_SEPARATORS = 8
"""Bytes for commas and the like, for each thing."""


def to_json(value: object) -> bytes:
    """JSON that can stand in a page's script block: it holds no `<`, so nothing in it ends the block."""
    return msgspec.json.encode(value).replace(b"<", b"\\u003c")


class Room:
    """How many bytes there are yet, and what did not fit."""

    def __init__(self, size: int) -> None:
        """Begins with so many bytes."""
        self.left = size
        self.omitted: Counter[str] = Counter()

    def take(self, size: int, what: str) -> bool:
        """Whether something of a size fits; what does not is counted under its name."""
        if size > self.left:
            self.omitted[what] += 1
            return False
        self.left -= size
        return True


class Stacks:
    """The stacks of all processes, each once, and the lines that they share, each once."""

    def __init__(self) -> None:
        """Begins empty."""
        self.lines: list[LineView] = []
        self.stacks: list[list[int]] = []
        self._lines: dict[LineView, int] = {}
        self._stacks: dict[tuple[LineView, ...], int] = {}

    def cost(self, stack: tuple[LineView, ...]) -> int:
        """How many bytes it takes to have a stack here."""
        if stack in self._stacks:
            return 0
        new = {frame for frame in stack if frame not in self._lines}
        return sum(len(to_json(frame)) + _SEPARATORS for frame in new) + _SEPARATORS * (len(stack) + 1)

    def number(self, stack: tuple[LineView, ...]) -> int:
        """The number of a stack, which is here from now on."""
        if stack not in self._stacks:
            for frame in stack:
                if frame not in self._lines:
                    self._lines[frame] = len(self.lines)
                    self.lines.append(frame)
            self._stacks[stack] = len(self.stacks)
            self.stacks.append([self._lines[frame] for frame in stack])
        return self._stacks[stack]


class ProcessShelf:
    """The kept part of one process."""

    def __init__(self, room: Room, stacks: Stacks) -> None:
        """Shares the room and the stacks with the other processes."""
        self._room = room
        self._stacks = stacks
        self._rows: dict[int, msgspec.Raw] = {}
        self._things: dict[str, dict[object, msgspec.Raw]] = {}

    def has(self, kind: str, key: object) -> bool:
        """Whether something is kept already."""
        return key in self._things.get(kind, {})

    def leave_out(self, kind: str) -> None:
        """Counts something that is not kept, for whatever reason."""
        self._room.omitted[kind] += 1

    def put(self, kind: str, key: object, value: object) -> bool:
        """Keeps something, if there is room; False where there is none."""
        if self.has(kind, key):
            return True
        text = to_json(value)
        if not self._room.take(len(text) + _SEPARATORS, kind):
            return False
        self._things.setdefault(kind, {})[key] = msgspec.Raw(text)
        return True

    def put_rows(self, rows: Sequence[EventRow]) -> bool:
        """Keeps rows of the table, all or none."""
        return self._put_rows(rows, 0, "rows")

    def put_event(self, view: EventView) -> bool:
        """Keeps an event with its row, those of its inputs and consumers, and its stack, all or none."""
        event = view.row.event
        if self.has("events", event):
            return True
        text = to_json(_short_event(view, 0))
        size = len(text) + self._stacks.cost(view.stack) + _SEPARATORS
        near = [given.row for given in (*view.inputs, *view.consumers) if given.row is not None]
        if not self._put_rows([view.row, *near], size, "events"):
            return False
        short = to_json(_short_event(view, self._stacks.number(view.stack)))
        self._things.setdefault("events", {})[event] = msgspec.Raw(short)
        return True

    @property
    def room(self) -> int:
        """How many bytes there are yet."""
        return self._room.left

    @property
    def events(self) -> int:
        """How many events are kept with all around them."""
        return len(self._things.get("events", {}))

    def content(self) -> dict[str, Any]:
        """All that is kept, rows by their number."""
        kinds = ("events", "executions", "tensors", "histograms", "progresss", "values", "graphs", "wholes", "sources")
        things = {kind: list(self._things.get(kind, {}).values()) for kind in kinds}
        (timeline,) = self._things.get("timeline", {None: msgspec.Raw(b"null")}).values()
        return {"rows": [self._rows[event] for event in sorted(self._rows)], **things, "timeline": timeline}

    def _put_rows(self, rows: Sequence[EventRow], more: int, what: str) -> bool:
        new = {row.event: to_json(row) for row in rows if row.event not in self._rows}
        size = sum(len(text) + _SEPARATORS for text in new.values()) + more
        if not self._room.take(size, what):
            return False
        self._rows |= {event: msgspec.Raw(text) for event, text in new.items()}
        return True


def _short_event(view: EventView, stack: int) -> dict[str, Any]:
    near = {name: [_short_input(each) for each in getattr(view, name)] for name in ("inputs", "consumers")}
    rest = {name: value for name, value in vars(view).items() if name != "row"}
    return {**rest, **near, "event": view.row.event, "stack": stack}


def _short_input(given: InputRow) -> dict[str, Any]:
    return {**vars(given), "row": None if given.row is None else given.row.event}
