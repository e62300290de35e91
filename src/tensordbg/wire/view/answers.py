"""All answers to the page about one run: opens its traces, again when they have grown, and keeps what is asked often.

Every method is one route of the server. They may be called from several threads at once; a name of a process may be
empty, which means the first.
"""

from __future__ import annotations

from tensordbg.analysis.processes.matrix import read_matrix
from tensordbg.analysis.query_limits import PAGE_LIMITS
from tensordbg.analysis.view.event.one_event import one_event
from tensordbg.analysis.view.event.value_window import value_window
from tensordbg.analysis.view.findings.kept import KeptFindings
from tensordbg.analysis.view.following import FollowedTrace
from tensordbg.analysis.view.graphs.around_execution import eager_part
from tensordbg.analysis.view.graphs.around_operation import graph_part
from tensordbg.analysis.view.graphs.eager_whole import eager_graph
from tensordbg.analysis.view.graphs.search import find_in_graph
from tensordbg.analysis.view.graphs.whole import whole_graph
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.overview import read_overview
from tensordbg.analysis.view.progress.reading import progress_of
from tensordbg.analysis.view.records.source_margins import list_sources, read_source
from tensordbg.analysis.view.requests import Centre, EventList, Whole, Window
from tensordbg.analysis.view.search.suggestions import complete
from tensordbg.analysis.view.table.histograms import read_histograms
from tensordbg.analysis.view.table.history import thinned_history
from tensordbg.analysis.view.table.page import next_event, place_of, read_page
from tensordbg.analysis.view.timeline.lanes import one_execution, read_timeline
from tensordbg.trace.folders.runs import TraceRun
from tensordbg.trace.reader import open_trace
from tensordbg.wire.view.answer_table import AnswerTable, answer_table
from tensordbg.wire.view.events import (
    EventPage,
    EventPlace,
    EventView,
    Suggestions,
    event_view,
    page_view,
    suggestions_view,
)
from tensordbg.wire.view.findings import Findings, findings_view
from tensordbg.wire.view.graph import GraphView, eager_view, graph_view
from tensordbg.wire.view.graph_search import FoundInGraphView, found_view
from tensordbg.wire.view.matrix import MatrixView, matrix_view
from tensordbg.wire.view.overview import Live, Overview, live_view, overview_view
from tensordbg.wire.view.progress import ProgressView, progress_view
from tensordbg.wire.view.source import SourceList, SourceView, source_list_view, source_view
from tensordbg.wire.view.tensor import (
    HistogramsView,
    TensorView,
    ValuesView,
    histograms_view,
    tensor_view,
    values_view,
)
from tensordbg.wire.view.timeline import ExecutionView, Timeline, execution_view, timeline_view
from tensordbg.wire.view.whole_graph import WholeView, whole_view

_MOST_ROWS = 2000
"""Of the answer to a query."""


class RunAnswers:
    """The answers about one run.

    All methods raise `UsageError` for what does not exist or is not understood, and `TraceError` where a trace can't
    be read.
    """

    def __init__(self, run: TraceRun, name: str = "", editor: str = "") -> None:
        """Nothing is read yet.

        Args:
            run: Its processes.
            name: Of the run in links.
            editor: Template of a link that opens a file in the editor, see `Overview`.
        """
        self._run = run
        self._name = name
        self._editor = editor
        several = len(run.processes) > 1
        self._traces = {each.name if several else "": FollowedTrace(each.folder) for each in run.processes}
        self._findings = KeptFindings(self._traces)

    def overview(self) -> Overview:
        """The run as a whole."""
        opened = {each.name: self._opened(each.name) for each in self._run.processes}
        return overview_view(read_overview(self._run, opened), self._name, self._editor)

    def findings(self) -> Findings:
        """The findings of all processes together."""
        found = self._findings.now()
        return findings_view(found.everything, found.revision)

    def events(self, process: str, wanted: EventList, begin: int, count: int) -> EventPage:
        """Some rows of the table of events."""
        return page_view(read_page(self._opened(process), wanted, begin, count))

    def place(self, process: str, wanted: EventList, event: int) -> EventPlace:
        """Which row of a list an event has."""
        row = place_of(self._opened(process), wanted, event)
        return EventPlace(None if row is None else event, row)

    def next(self, process: str, search: str, event: int, direction: str) -> EventPlace:
        """The next event that fits a search, `forward` or `backward` from an event; -1 is before the first."""
        return EventPlace(*(next_event(self._opened(process), search, event, direction) or (None, None)))

    def event(self, process: str, event: int) -> EventView:
        """One event with all around it."""
        known = self._findings.known()
        finding = known.finding_of(self._named(process), event) if known is not None else None
        return event_view(one_event(self._opened(process), event), finding)

    def suggestions(self, process: str, search: str, cursor: int) -> Suggestions:
        """Words that may stand at the cursor of the search field."""
        return suggestions_view(complete(self._opened(process), search, cursor))

    def timeline(self, process: str, begin_ns: int | None, end_ns: int | None, width: int) -> Timeline:
        """Executions in a range of time, for so many pixels; the whole trace by default."""
        opened = self._opened(process)
        return timeline_view(opened, read_timeline(opened, begin_ns, end_ns, width))

    def execution(self, process: str, execution: int) -> ExecutionView:
        """One execution."""
        opened = self._opened(process)
        return execution_view(opened, one_execution(opened, execution))

    def tensor(self, process: str, tensor: str, function: str, points: int) -> TensorView:
        """A tensor over steps and iterations, at most so many points."""
        return tensor_view(thinned_history(self._opened(process), tensor, function, points))

    def histograms(self, process: str, tensor: str, function: str, most: int, logarithmic: bool) -> HistogramsView:
        """How the elements of a tensor are spread in the steps in which they were kept."""
        found = read_histograms(self._opened(process), tensor, function, most, logarithmic)
        return histograms_view(found, function)

    def progress(self, process: str, measure: str, width: int) -> ProgressView:
        """How a process went, row by row over its steps, in at most so many columns."""
        return progress_view(progress_of(self._opened(process).progress, measure, width))

    def matrix(self, measure: str, width: int) -> MatrixView:
        """All processes beside each other, in at most so many columns of steps."""
        return matrix_view(read_matrix({name: self._opened(name) for name in self._traces}, measure, width))

    def values(self, process: str, event: int, window: Window) -> ValuesView:
        """Elements of an event."""
        found = value_window(self._opened(process), event, window)
        return values_view(event, found, (window.row_offset, window.column_offset))

    def graph(self, process: str, centre: Centre) -> GraphView:
        """Part of a function's graph, or executions around an eager operation."""
        opened, origins = self._opened(process), self._origins(process)
        part = graph_part(opened, centre)
        if part is not None:
            return graph_view(opened, part, origins)
        return eager_view(opened, eager_part(opened, centre.event or 0, centre.hops), origins)

    def whole(self, process: str, asked: Whole) -> WholeView:
        """A function's graph as a whole, or a step of eager code, some of its boxes open."""
        opened, origins = self._opened(process), self._origins(process)
        graph = whole_graph(opened, asked, origins) or eager_graph(opened, asked, origins)
        return whole_view(opened, graph, origins)

    def find(self, process: str, asked: Whole, text: str) -> FoundInGraphView:
        """Operations and boxes of a function's whole graph, by any name."""
        return found_view(find_in_graph(self._opened(process), asked, text))

    def sources(self, process: str) -> SourceList:
        """The files that the trace holds."""
        return source_list_view(list_sources(self._opened(process)))

    def source(self, process: str, file: str) -> SourceView:
        """One of them."""
        return source_view(read_source(self._opened(process), file))

    def sql(self, query: str) -> AnswerTable:
        """The answer to a query over all processes, its first rows."""
        # The database is loaded by who asks it something.
        from tensordbg.analysis.query import sql_of_run

        # A reader of its own, as a query may take long and others read meanwhile.
        several = len(self._run.processes) > 1
        readers = {each.name if several else "": open_trace(each.folder) for each in self._run.processes}
        return answer_table(sql_of_run(readers, query, PAGE_LIMITS), _MOST_ROWS)

    def trace(self, process: str) -> OpenedTrace:
        """The trace of a process, as it is now."""
        return self._opened(process)

    def live(self, process: str) -> Live:
        """How far the trace has grown; cheap, it is asked again and again."""
        followed = self._followed(process)
        return live_view(followed.growth(), followed.rate())

    def _origins(self, process: str) -> frozenset[int]:
        """The events that are origins, as far as the findings are known."""
        known = self._findings.known()
        return known.origins_of(self._named(process)) if known is not None else frozenset()

    def _opened(self, process: str) -> OpenedTrace:
        return self._followed(process).opened()

    def _followed(self, process: str) -> FollowedTrace:
        return self._traces[self._named(process)]

    def _named(self, process: str) -> str:
        """The name of a process among `_traces`; an empty one means the first."""
        if not process or len(self._traces) == 1:
            return next(iter(self._traces))
        return self._run.process(process).name
