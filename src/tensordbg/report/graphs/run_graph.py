"""The text of `tdbg graph --as run`: the operations that run, and what became of those that Python built."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from tensordbg.analysis.graphs.as_run import ExecutedGraph
from tensordbg.analysis.graphs.changes import Fate, GraphChange
from tensordbg.report.graphs.graph import heading, place
from tensordbg.report.listing import plain_table
from tensordbg.report.numbers import amount, count
from tensordbg.trace.graphs.graph_files import GraphStage

_LISTED = 40
"""So many reasons are listed; --json has all."""

_TITLES = {
    Fate.FUSED: "fused",
    Fate.FOLDED: "computed beforehand",
    Fate.REPLACED: "replaced",
    Fate.REMOVED: "removed",
    Fate.MOVED: "moved",
}

_HOW = {
    GraphStage.RUN: "as TensorFlow runs it without recording",
    GraphStage.RECORDED: "as it ran while it was recorded, without the probes",
}


def run_graph_text(graph: ExecutedGraph) -> Group:
    """Heading, table, and a section for each kind of change."""
    parts: list[RenderableType] = [heading(graph.function, _HOW[graph.stage]), _table(graph)]
    for fate in Fate:
        changes = graph.of(fate)
        if changes:
            parts += [Text(), Text(f"{_TITLES[fate]} ({count(len(changes))})", style="bold"), *_section(changes)]
    return Group(*parts, Text(), *(Text(line, style="dim") for line in _notes(graph)))


def _table(graph: ExecutedGraph) -> RenderableType:
    table = plain_table()
    for name in ("operation", "type", "inputs", "device", "from", "line"):
        table.add_column(name, overflow="fold", min_width=6)
    for node in graph.nodes:
        origin = "" if node.made_from == (node.name,) else " + ".join(node.made_from)
        source = place(node.source) if node.made_from else ""
        table.add_row(
            node.name,
            node.op_type,
            ", ".join(node.inputs),
            node.device,
            origin,
            source,
            style="dim" if node.added_for else "",
        )
    return table


def _section(changes: tuple[GraphChange, ...]) -> Iterator[Padding]:
    table = plain_table()
    table.show_header = False
    table.add_column(overflow="fold", min_width=9)
    table.add_column(overflow="fold", min_width=9)
    reasons: dict[str, list[str]] = {}
    for change in changes:
        reasons.setdefault(change.reason, []).append(" + ".join(change.operations))
    for reason, operations in list(reasons.items())[:_LISTED]:
        table.add_row(", ".join(operations), reason)
    yield Padding(table, (0, 0, 0, 2), expand=False)
    if len(reasons) > _LISTED:
        yield Padding(Text(f"and {count(len(reasons) - _LISTED)} more; --json tells all", style="dim"), (0, 0, 0, 2))


def _notes(graph: ExecutedGraph) -> Iterator[str]:
    added = ", ".join(f"{count(number)} for {what}" for what, number in graph.added.items())
    yield f"{amount(len(graph.nodes), 'operation')} of {count(graph.built)} that Python built" + (
        f"; put in: {added}" if added else ""
    )
    if graph.unfused and graph.stage is GraphStage.RUN:
        yield (
            f"while it was recorded, the probes kept {amount(graph.unfused, 'fused operation')} apart; --as recorded "
            "shows that graph"
        )
    elif graph.unfused:
        yield (
            f"the probes kept {amount(graph.unfused, 'fused operation')} apart that TensorFlow makes without them; "
            "--as run shows that graph"
        )
    yield from graph.function.notes
