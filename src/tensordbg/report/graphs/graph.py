"""The text of `tdbg graph`: the operations of a function as Python built them, with what they call below them."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.graphs.function_graph import FunctionGraph, GraphNode
from tensordbg.analysis.program.function_titles import function_title
from tensordbg.enumeration import first_few
from tensordbg.model import Function
from tensordbg.report.listing import BAD, plain_table
from tensordbg.report.numbers import ABSENT, amount, count
from tensordbg.trace.graphs.graph_files import GraphStage

_NAMED = 4
"""So many other functions of the same name are named."""

_WAITED = 5
"""So many operations that one only waits for are named."""


def graph_text(graph: FunctionGraph) -> Group:
    """Heading, table and notes of a graph as built."""
    return Group(heading(graph.function, "as Python built it"), _table(graph), *_notes(graph))


def heading(function: Function, how: str) -> Text:
    """A function by name, number and arguments, and which graph of it is shown."""
    said = "  ".join(filter(None, (f" (function {function.function})", function.signature, how)))
    return Text.assemble((function_title(function.name), "bold"), said)


def short_name(name: str, caller: str) -> str:
    """A name without the path of the call that it stands in, and without the scope that repeats it."""
    return name.removeprefix(f"{caller}/") if caller else name


def place(line: SourceLine | None) -> str:
    """File and line, without the folder."""
    return ABSENT if line is None else line.place


def _table(graph: FunctionGraph) -> RenderableType:
    table = plain_table()
    for name in ("operation", "type", "inputs", "output", "line"):
        table.add_column(name, overflow="fold", min_width=9)
    callers = _callers(graph)
    results = set(graph.results)
    for node in graph.nodes:
        caller = callers[node.name]
        name = "  " * node.depth + short_name(node.name, caller)
        waited = [f"^{short_name(each, caller)}" for each in node.waits_for]
        more = [f"^... ({count(len(waited) - _WAITED)} more)"] if len(waited) > _WAITED + 1 else []
        waited = waited[:_WAITED] if more else waited
        inputs = ", ".join((*(short_name(each, caller) for each in node.inputs), *waited, *more))
        table.add_row(
            name + (" →" if node.name in results else "") + (" !" if node.runs_anyway else ""),
            _type(node),
            inputs,
            ", ".join(_outputs(node)),
            place(node.source),
            style=BAD if node.non_finite else "",
        )
    return table


def _callers(graph: FunctionGraph) -> dict[str, str]:
    """For each node the call path that it stands in: the last node before it of less depth, and the part of that."""
    callers: dict[str, str] = {}
    open_calls: list[str] = []
    for node in graph.nodes:
        del open_calls[node.depth :]
        around = open_calls[-1] if node.depth and len(open_calls) >= node.depth else ""
        callers[node.name] = around
        open_calls.append(node.name)
    return callers


def _type(node: GraphNode) -> str:
    if node.argument >= 0:
        return f"argument {node.argument}"
    called = f" of {', '.join(node.calls)}" if node.calls else ""
    device = f" on {node.device}" if node.device else ""
    return f"{node.op_type}{called}{device}"


def _outputs(node: GraphNode) -> list[str]:
    """Type and last shape of each output; how many of the recorded tensors were not finite."""
    texts = []
    for dtype, shape in zip(node.dtypes, node.shapes, strict=True):
        if dtype or shape is not None:
            texts.append(dtype if shape is None else f"{dtype}{list(shape)}")
    if node.non_finite:
        texts.append(f"{count(node.non_finite)} of {count(node.events)} not finite")
    return texts


def _notes(graph: FunctionGraph) -> list[Text]:
    shown = len(graph.nodes)
    lines = [
        amount(shown, "operation")
        if shown == graph.operations
        else f"{count(shown)} of {count(graph.operations)} operations"
    ]
    lines[0] += f"; called {amount(graph.calls, 'time')} from Python; → marks what it returns"
    lines[0] += ", ! what runs though no result needs it" if any(node.runs_anyway for node in graph.nodes) else ""
    lines[0] += ", ^ what is only waited for" if any(node.waits_for for node in graph.nodes) else ""
    if graph.unopened:
        lines.append(f"{amount(graph.unopened, 'call')} not opened; --depth opens more")
    lines += graph.function.notes
    if graph.others:
        named = first_few([f"{other.function} {other.signature}" for other in graph.others], _NAMED)
        lines.append(f"other functions of this name, by their number: {named}")
    if GraphStage.RUN in graph.stages:
        lines.append("--as run shows what TensorFlow makes of it")
    return [Text(), *(Text(line, style="dim") for line in lines)]
