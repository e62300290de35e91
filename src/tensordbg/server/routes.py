"""Every question that the page may ask: the address, what it takes, and the answer.

All but the list of runs and the waiting for news are answered by `RunAnswers`.
"""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.server import parameters as asked
from tensordbg.wire.view.answer_table import AnswerTable
from tensordbg.wire.view.comparison import ComparisonView
from tensordbg.wire.view.events import EventPage, EventPlace, EventView, Suggestions
from tensordbg.wire.view.findings import Findings
from tensordbg.wire.view.graph import GraphView
from tensordbg.wire.view.graph_search import FoundInGraphView
from tensordbg.wire.view.matrix import MatrixView
from tensordbg.wire.view.overview import Live, Overview, RunList
from tensordbg.wire.view.progress import ProgressView
from tensordbg.wire.view.source import SourceList, SourceView
from tensordbg.wire.view.tensor import HistogramsView, TensorView, ValuesView
from tensordbg.wire.view.timeline import ExecutionView, Timeline
from tensordbg.wire.view.whole_graph import WholeView


@dataclass(frozen=True)
class Question:
    """One route."""

    name: str
    """Names it in the description."""
    path: str
    """Below `api/`."""
    parameters: type[asked.Parameters]
    answer: type
    summary: str


QUESTIONS = (
    Question("runs", "runs", asked.Parameters, RunList, "All runs below the folder, the newest first"),
    Question("overview", "overview", asked.OfOverview, Overview, "One run as a whole"),
    Question("findings", "findings", asked.OfFindings, Findings, "What is wrong, what matters most first"),
    Question("events", "events", asked.Events, EventPage, "Rows of the table of tensor events"),
    Question("place", "events/place", asked.Place, EventPlace, "Which row an event has in a list"),
    Question("next", "events/next", asked.Next, EventPlace, "The next event that fits a search"),
    Question("event", "events/{event}", asked.OneEvent, EventView, "One event with all around it"),
    Question("suggestions", "suggestions", asked.Suggest, Suggestions, "What may be typed into the search field"),
    Question("timeline", "timeline", asked.TimeRange, Timeline, "Executions over time"),
    Question("execution", "executions/{execution}", asked.OneExecution, ExecutionView, "One execution"),
    Question("tensor", "tensor", asked.OneTensor, TensorView, "One tensor over steps and iterations"),
    Question(
        "histograms",
        "tensor/histograms",
        asked.Histograms,
        HistogramsView,
        "How a tensor's elements are spread over steps",
    ),
    Question("progress", "progress", asked.Progress, ProgressView, "How a run went, row by row over its steps"),
    Question("matrix", "matrix", asked.Matrix, MatrixView, "The processes of a run beside each other over its steps"),
    Question("values", "values/{event}", asked.Values, ValuesView, "Elements of an event"),
    Question("graph", "graph", asked.Graph, GraphView, "The neighbourhood of an operation"),
    Question("whole", "graph/whole", asked.WholeGraph, WholeView, "A function as a whole, its boxes closed or open"),
    Question("find", "graph/find", asked.FindInGraph, FoundInGraphView, "Operations and boxes of a graph by name"),
    Question("sources", "sources", asked.OfSources, SourceList, "The source files that the trace holds"),
    Question("source", "source", asked.Source, SourceView, "One source file, with what its lines created"),
    Question("sql", "sql", asked.Sql, AnswerTable, "The answer to a query in SQL"),
    Question("comparison", "comparison", asked.Compared, ComparisonView, "Two runs: where they part, and by how much"),
    Question("live", "live", asked.Following, Live, "How far the trace has grown, now or as soon as it has"),
)
"""In an order in which a path with a name comes before one with a number."""
