"""One process on a saved page: asks for what is wanted of it, and puts it on its shelf."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from tensordbg.analysis.view.requests import Centre, EventList, Whole, Window
from tensordbg.errors import UsageError
from tensordbg.report.saved_page.deep_whole import deep_whole
from tensordbg.report.saved_page.shelf import ProcessShelf
from tensordbg.report.saved_page.sources import lines_by_file, shortened
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.events import EventRow, EventView
from tensordbg.wire.view.source import LineView

Answer = TypeVar("Answer")

_MOST = {"events": 600, "graphs": 120, "wholes": 12, "tensors": 30, "histograms": 30, "values": 60}
"""So many of each are asked for at most, since each takes its time in a large trace."""
_HOPS = (1, 2, 3)
"""Of the graph around a finding; of that around another event only the first."""
_PANELS = 2
"""So many steps from a finding events have their graph, history and elements."""
_POINTS = 300
_HISTOGRAMS = 60
"""Of a tensor, one for each of so many events."""
_ELEMENTS = 50
"""Rows and columns of kept elements."""
_AROUND = 100
"""Rows of the table before and after a finding."""
_BEGINNING = 200
"""Rows of the table where there is no finding."""
_EXECUTION = 500
"""Rows at most of the execution that a finding is in."""
_COLUMNS = 60
"""Of the overview."""
_WHOLE_SHARE = 6
"""The part of the room, one sixth, that one whole graph may take."""
_WIDTH = 1000
"""Pixels that the timeline is made for."""


class SavedProcess:
    """Fills the shelf of one process; what the trace can't answer is passed over."""

    def __init__(self, answers: RunAnswers, name: str, shelf: ProcessShelf) -> None:
        """Nothing is asked yet."""
        self._answers = answers
        self._name = name
        self._shelf = shelf
        self._asked: Counter[str] = Counter()
        self._drawn: set[int] = set()
        """Events that stand in a graph of their execution as a whole."""

    def add_timeline(self) -> None:
        """Keeps the timeline as a whole."""
        self._put("timeline", None, lambda: self._answers.timeline(self._name, None, None, _WIDTH))

    def add_whole(self) -> None:
        """Keeps the function that matters most as a whole, for where no event is chosen."""
        self._put("wholes", None, functools.partial(self._whole, Whole()))

    def add_functions(self) -> None:
        """Keeps the other functions that the program called, each as a whole."""
        first = self._ask("wholes", lambda: self._answers.whole(self._name, Whole()))
        if first is None:
            return
        for each in first.functions:
            if each.function != first.function:
                asked = Whole(function=str(each.function))
                self._put("wholes", asked.function, functools.partial(self._whole, asked))

    def add_progress(self) -> None:
        """Keeps the overview, with all that it can show."""
        first = self._ask("progresss", lambda: self._answers.progress(self._name, "", _COLUMNS))
        for measure in first.measures if first is not None else ():
            self._put("progresss", measure, functools.partial(self._answers.progress, self._name, measure, _COLUMNS))

    def add_beginning(self) -> None:
        """Keeps the first rows of the table and the program's own files: for where nothing is wrong."""
        self._shelf.put_rows(tuple(self._page(0, _BEGINNING).values()))
        files = self._ask("sources", lambda: self._answers.sources(self._name))
        for each in files.files if files is not None else ():
            if each.user:
                self._put("sources", each.file, functools.partial(self._source, each.file, True, set()))

    def add_event(self, event: int, distance: int) -> list[EventRow]:
        """Keeps an event with what its panels show, if it is not there yet; the rows of its inputs and consumers.

        Args:
            event: Its number.
            distance: Steps along the data from the nearest finding.
        """
        if self._shelf.has("events", event):
            return []
        view = self._ask("events", lambda: self._answers.event(self._name, event))
        if view is None or not self._shelf.put_event(view):
            return []
        if distance < _PANELS:
            self._add_panels(view, _HOPS if distance == 0 else _HOPS[:1])
        return [given.row for given in (*view.inputs, *view.consumers) if given.row is not None]

    def add_rows(self, row: EventRow) -> list[EventRow]:
        """Keeps the rows of an event's execution and those around it in the table; gives them, the nearest first."""
        begin = max(0, row.event - _AROUND)
        rows = self._page(begin, row.event - begin + _AROUND)
        execution = self._ask("executions", lambda: self._answers.execution(self._name, row.execution))
        if execution is not None and execution.first_event is not None:
            # Those of an execution lie together, but for what other threads computed meanwhile.
            page = self._page(execution.first_event, min(execution.events, _EXECUTION))
            rows |= {event: each for event, each in page.items() if each.execution == row.execution}
        self._shelf.put_rows(tuple(rows.values()))
        return sorted(rows.values(), key=lambda each: abs(each.event - row.event))

    def add_sources(self, stacks: Sequence[Sequence[LineView]], user: bool) -> None:
        """Keeps the user's own files that stacks name, or those of libraries."""
        own = {frame.file for stack in stacks for frame in stack if frame.user}
        for file, lines in lines_by_file(stacks).items():
            if (file in own) is user:
                self._put("sources", file, functools.partial(self._source, file, user, lines))

    def content(self) -> dict[str, Any]:
        """All that the page is told of it."""
        files = self._answers.sources(self._name)
        held = tuple(each for each in files.files if self._shelf.has("sources", each.file))
        live = replace(self._answers.live(self._name), running=False, rate=0.0)
        return {"process": self._name, "live": live, "files": replace(files, files=held), **self._shelf.content()}

    def _add_panels(self, view: EventView, hops: Sequence[int]) -> None:
        row, ask, name = view.row, self._answers, self._name
        self._put("executions", row.execution, lambda: ask.execution(name, row.execution))
        for hop in hops:
            self._put("graphs", (row.event, hop), functools.partial(self._graph, row.event, hop))
        if len(hops) > 1 and row.event not in self._drawn:
            self._put("wholes", row.event, functools.partial(self._whole, Whole(event=row.event)))
        self._put("tensors", (row.tensor, row.function), lambda: ask.tensor(name, row.tensor, row.function, _POINTS))
        if row.kept:
            given = (row.tensor, row.function)
            self._put("histograms", given, lambda: ask.histograms(name, *given, _HISTOGRAMS, logarithmic=False))
            window = Window(rows=_ELEMENTS, columns=_ELEMENTS)
            self._put("values", row.event, lambda: ask.values(name, row.event, window))

    def _page(self, begin: int, count: int) -> dict[int, EventRow]:
        page = self._ask("rows", lambda: self._answers.events(self._name, EventList(), begin, count))
        return {} if page is None else {row.event: row for row in page.rows}

    def _graph(self, event: int, hops: int) -> dict[str, Any]:
        view = self._answers.graph(self._name, Centre(event=event, hops=hops))
        return {"event": event, "hops": hops, "view": view}

    def _whole(self, asked: Whole) -> dict[str, Any]:
        graph = deep_whole(functools.partial(self._answers.whole, self._name), asked, self._shelf.room // _WHOLE_SHARE)
        if asked.event is not None:
            self._drawn.update(node.event for node in graph.view.nodes if node.event is not None)
        return {"event": asked.event, **vars(graph)}

    def _source(self, file: str, user: bool, lines: set[int]) -> object:
        return shortened(self._answers.source(self._name, file), user, lines)

    def _put(self, kind: str, key: object, make: Callable[[], object]) -> None:
        if not self._shelf.has(kind, key):
            value = self._ask(kind, make)
            if value is not None:
                self._shelf.put(kind, key, value)

    def _ask(self, kind: str, make: Callable[[], Answer]) -> Answer | None:
        """The answer, None where there is none: elements that were not kept, the graph of what has none."""
        if self._asked[kind] >= _MOST.get(kind, sys.maxsize):
            self._shelf.leave_out(kind)
            return None
        self._asked[kind] += 1
        try:
            return make()
        except UsageError:
            return None
