"""Parameters of requests: one frozen struct per route, by which queries are checked and the description is made.

Each knows which method of `RunAnswers` answers it.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from tensordbg.analysis.view.requests import Centre, EventList, Whole, Window
from tensordbg.wire.view.answer_table import AnswerTable
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.events import EventPage, EventPlace, EventView, Suggestions
from tensordbg.wire.view.findings import Findings
from tensordbg.wire.view.graph import GraphView
from tensordbg.wire.view.graph_search import FoundInGraphView
from tensordbg.wire.view.matrix import MatrixView
from tensordbg.wire.view.overview import Live, Overview
from tensordbg.wire.view.progress import ProgressView
from tensordbg.wire.view.source import SourceList, SourceView
from tensordbg.wire.view.tensor import HistogramsView, TensorView, ValuesView
from tensordbg.wire.view.timeline import ExecutionView, Timeline
from tensordbg.wire.view.whole_graph import WholeView

_MOST = 2**53 - 1
"""The largest whole number that a browser counts exactly."""

Number = Annotated[int, Meta(ge=0, le=_MOST)]
Time = Annotated[int, Meta(ge=0, le=2**63 - 1, description="Nanoseconds since 1970.")]
Event = Annotated[int, Meta(ge=0, le=_MOST, description="Number of the tensor event.")]
Search = Annotated[str, Meta(description="Words and `key:value`, all of which must hold; empty for all events.")]
Run = Annotated[str, Meta(description="Name of the run; empty for the newest.")]
Process = Annotated[str, Meta(description="Name of the process; empty for the first.")]
Operation = Annotated[str, Meta(description="Name of an operation of that function.")]
Patience = Annotated[float, Meta(ge=0, le=25, description="Seconds to wait for something newer.")]
Columns = Annotated[int, Meta(ge=1, le=400, description="At most so many columns of steps.")]


def _number_or_none(number: int | UnsetType) -> int | None:
    """None for what was left out; the word `null` in a query is refused."""
    return None if isinstance(number, UnsetType) else number


class Parameters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Parameters of a route that takes nothing."""


class OfRun(Parameters, frozen=True, kw_only=True):
    """Parameters of a route that speaks of a whole run."""

    run: Run = ""


class OfOverview(OfRun, frozen=True, kw_only=True):
    """A run as a whole."""

    def ask(self, answers: RunAnswers) -> Overview:
        """The answer."""
        return answers.overview()


class OfFindings(OfRun, frozen=True, kw_only=True):
    """Parameters of the findings."""

    def ask(self, answers: RunAnswers) -> Findings:
        """The answer."""
        return answers.findings()


class Matrix(OfRun, frozen=True, kw_only=True):
    """The processes of a run over its steps."""

    measure: Annotated[
        str, Meta(description="What the values are of; empty for the first of which anything is known.")
    ] = ""
    width: Columns = 100

    def ask(self, answers: RunAnswers) -> MatrixView:
        """The answer."""
        return answers.matrix(self.measure, self.width)


class OfProcess(OfRun, frozen=True, kw_only=True):
    """Parameters of a route that speaks of one process of a run."""

    process: Process = ""


class Events(OfProcess, frozen=True, kw_only=True):
    """Rows of the table of events."""

    begin: Number = 0
    count: Annotated[int, Meta(ge=1, le=500)] = 200
    search: Search = ""
    order: str = "event"
    descending: bool = False

    def ask(self, answers: RunAnswers) -> EventPage:
        """The answer."""
        return answers.events(self.process, EventList(self.search, self.order, self.descending), self.begin, self.count)


class Place(OfProcess, frozen=True, kw_only=True):
    """Which row an event has."""

    event: Event
    search: Search = ""
    order: str = "event"
    descending: bool = False

    def ask(self, answers: RunAnswers) -> EventPlace:
        """The answer."""
        return answers.place(self.process, EventList(self.search, self.order, self.descending), self.event)


class Next(OfProcess, frozen=True, kw_only=True):
    """The next event that fits."""

    event: Annotated[int, Meta(ge=-1, le=_MOST, description="Where to begin; -1 is before the first event.")] = -1
    search: Search = ""
    direction: Literal["forward", "backward"] = "forward"

    def ask(self, answers: RunAnswers) -> EventPlace:
        """The answer."""
        return answers.next(self.process, self.search, self.event, self.direction)


class OneEvent(OfProcess, frozen=True, kw_only=True):
    """One event."""

    event: Event

    def ask(self, answers: RunAnswers) -> EventView:
        """The answer."""
        return answers.event(self.process, self.event)


class Suggest(OfProcess, frozen=True, kw_only=True):
    """Parameters of what may be typed next."""

    search: Search = ""
    cursor: Annotated[int, Meta(ge=0, le=_MOST, description="How many characters stand before the cursor.")] = 0

    def ask(self, answers: RunAnswers) -> Suggestions:
        """The answer."""
        return answers.suggestions(self.process, self.search, self.cursor)


class TimeRange(OfProcess, frozen=True, kw_only=True):
    """Part of the timeline; all of it where no range is given."""

    begin_ns: Time | UnsetType = UNSET
    end_ns: Time | UnsetType = UNSET
    width: Annotated[int, Meta(ge=50, le=4000, description="Of the drawing, in pixels.")] = 1000

    def ask(self, answers: RunAnswers) -> Timeline:
        """The answer."""
        return answers.timeline(self.process, _number_or_none(self.begin_ns), _number_or_none(self.end_ns), self.width)


class OneExecution(OfProcess, frozen=True, kw_only=True):
    """One execution."""

    execution: Number

    def ask(self, answers: RunAnswers) -> ExecutionView:
        """The answer."""
        return answers.execution(self.process, self.execution)


class OneTensor(OfProcess, frozen=True, kw_only=True):
    """One tensor over time."""

    tensor: Annotated[str, Meta(description="Name and slot, `Log:0`.")]
    function: Annotated[str, Meta(description="Only in this function; empty for all.")] = ""
    points: Annotated[int, Meta(ge=10, le=5000, description="At most so many points.")] = 1000

    def ask(self, answers: RunAnswers) -> TensorView:
        """The answer."""
        return answers.tensor(self.process, self.tensor, self.function, self.points)


class Histograms(OfProcess, frozen=True, kw_only=True):
    """How the elements of one tensor are spread over time."""

    tensor: Annotated[str, Meta(description="Name and slot, `Log:0`.")]
    function: Annotated[str, Meta(description="Only in this function; empty for all.")] = ""
    most: Annotated[int, Meta(ge=2, le=500, description="At most so many histograms.")] = 150
    logarithmic: Annotated[bool, Meta(description="Whether bins far from zero are wider.")] = False

    def ask(self, answers: RunAnswers) -> HistogramsView:
        """The answer."""
        return answers.histograms(self.process, self.tensor, self.function, self.most, self.logarithmic)


class Progress(OfProcess, frozen=True, kw_only=True):
    """How a process went over its steps."""

    measure: Annotated[
        str, Meta(description="What is told of each row; empty for the first of which all is known.")
    ] = ""
    width: Columns = 100

    def ask(self, answers: RunAnswers) -> ProgressView:
        """The answer."""
        return answers.progress(self.process, self.measure, self.width)


class Values(OfProcess, frozen=True, kw_only=True):
    """A slice of the elements of an event."""

    event: Event
    slice: Annotated[str, Meta(description="As in NumPy, `[0, :, 3]`; empty for all.")] = ""
    row_offset: Number = 0
    column_offset: Number = 0
    rows: Annotated[int, Meta(ge=1, le=500)] = 100
    columns: Annotated[int, Meta(ge=1, le=500)] = 100

    def ask(self, answers: RunAnswers) -> ValuesView:
        """The answer."""
        return answers.values(
            self.process, self.event, Window(self.slice, self.row_offset, self.column_offset, self.rows, self.columns)
        )


class Graph(OfProcess, frozen=True, kw_only=True):
    """The neighbourhood of the operation of an event, or of an operation of a function."""

    event: Event | UnsetType = UNSET
    function: Annotated[str, Meta(description="Name of a function, where no event is given.")] = ""
    operation: Operation = ""
    hops: Annotated[int, Meta(ge=1, le=6, description="How many edges away from the centre.")] = 2
    opened: Annotated[tuple[str, ...], Meta(description="Nodes of calls whose inside is shown.")] = ()

    def ask(self, answers: RunAnswers) -> GraphView:
        """The answer."""
        return answers.graph(
            self.process, Centre(_number_or_none(self.event), self.function, self.operation, self.hops, self.opened)
        )


class WholeGraph(OfProcess, frozen=True, kw_only=True):
    """The graph of the function of an event, or of another function, as a whole."""

    event: Event | UnsetType = UNSET
    function: Annotated[str, Meta(description="Name or number of a function; empty for that of the event.")] = ""
    opened: Annotated[tuple[str, ...], Meta(description="Boxes that are open besides those around the event.")] = ()
    closed: Annotated[tuple[str, ...], Meta(description="Boxes that are closed that would be open by themselves.")] = ()

    def ask(self, answers: RunAnswers) -> WholeView:
        """The answer."""
        return answers.whole(self.process, Whole(_number_or_none(self.event), self.function, self.opened, self.closed))


class FindInGraph(OfProcess, frozen=True, kw_only=True):
    """Operations and boxes of the graph of the function of an event, or of another function."""

    event: Event | UnsetType = UNSET
    function: Annotated[str, Meta(description="Name or number of a function; empty for that of the event.")] = ""
    text: Annotated[str, Meta(description="A name, an end of one or a part of one.")]

    def ask(self, answers: RunAnswers) -> FoundInGraphView:
        """The answer."""
        return answers.find(self.process, Whole(_number_or_none(self.event), self.function), self.text)


class OfSources(OfProcess, frozen=True, kw_only=True):
    """The files that the trace holds."""

    def ask(self, answers: RunAnswers) -> SourceList:
        """The answer."""
        return answers.sources(self.process)


class Source(OfProcess, frozen=True, kw_only=True):
    """One source file."""

    file: Annotated[str, Meta(description="Its path, as `api/sources` has it.")]

    def ask(self, answers: RunAnswers) -> SourceView:
        """The answer."""
        return answers.source(self.process, self.file)


class Sql(OfRun, frozen=True, kw_only=True):
    """A query over the tables of a run."""

    query: Annotated[str, Meta(description="One SELECT, as DuckDB has it; see `tdbg sql`.")]

    def ask(self, answers: RunAnswers) -> AnswerTable:
        """The answer."""
        return answers.sql(self.query)


class Compared(OfProcess, frozen=True, kw_only=True):
    """A run beside another."""

    against: Annotated[str, Meta(description="Name of the run that is the reference.")]


class Following(OfProcess, frozen=True, kw_only=True):
    """How far the trace has grown."""

    revision: Annotated[int, Meta(ge=-1, le=_MOST, description="What is known already; -1 for nothing.")] = -1
    wait: Patience = 0

    def ask(self, answers: RunAnswers) -> Live:
        """The answer."""
        return answers.live(self.process)
