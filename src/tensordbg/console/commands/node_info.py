"""`node_info` (`ni`): what is known of a node."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import click
import numpy as np

from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.view.records.sites import NamedSites
from tensordbg.console.names.node import Node
from tensordbg.console.names.node_lines import health_span, node_spans
from tensordbg.console.names.nodes import (
    consumers_of,
    control_consumers,
    control_inputs,
    control_nodes,
    find_node,
    inputs_of,
)
from tensordbg.console.options import function_option, run_option
from tensordbg.console.pages.page import FixedLines, JoinedLines, Line, Lines, Page, Place, Span, Style
from tensordbg.console.pages.tensor_rows import TensorRows
from tensordbg.console.pages.texts import place_span, source_command, text_lines
from tensordbg.model import NONE
from tensordbg.report.numbers import ABSENT, amount, count

if TYPE_CHECKING:
    from tensordbg.console.console import Console
    from tensordbg.console.names.nodes import ConnectedNodes
    from tensordbg.console.names.runs import Scope
    from tensordbg.console.pages.tensor_rows import ListedTensors


class LocatedNodes(NamedSites, Protocol):
    """A trace that has the text of the lines of its stacks."""

    @property
    def locations(self) -> Locations:
        """Stacks with the text of their lines."""


@click.command("node_info", add_help_option=False)
@click.argument("name", metavar="NODE")
@click.option("-a", "--attributes", is_flag=True, help="Also its attributes.")
@click.option("-d", "--dumps", is_flag=True, help="Also the tensors that were recorded of it.")
@click.option("-t", "--traceback", is_flag=True, help="Also where in the program it was made.")
@function_option
@run_option
@click.pass_obj
def command(console: Console, /, name: str, function: str, run: str, **also: bool) -> Page:
    """Tell of a node: its type, device, inputs and recipients."""
    opened, scope = console.opened, console.scope(run)
    node, others = find_node(opened, name, scope, function)
    parts: list[Lines] = [FixedLines(tuple(_facts(opened, node, others)))]
    parts.append(FixedLines(tuple(_neighbours(opened, node, scope))))
    if also["attributes"]:
        parts.append(FixedLines(tuple(_attributes(opened, node))))
    if also["dumps"]:
        parts += _dumps(opened, node, scope)
    if also["traceback"]:
        parts.append(FixedLines(tuple(_traceback(opened, node))))
    source = opened.site(node.site).source
    place = None if source is None else Place(source.file, source.line)
    return Page(f"Node {node.name}", JoinedLines(tuple(parts)), event=node.event, place=place)


def _facts(opened: ConnectedNodes, node: Node, others: Sequence[str]) -> Iterator[Line]:
    names = opened.site(node.site)
    site, program = names.site, opened.program
    function = program.functions.get(site.function)
    device = "" if node.event is None else opened.row(node.event).device
    yield ()
    yield _fact("Op", site.op_type)
    yield _fact("Device", device or site.device or ABSENT)
    yield _fact("Function", names.function or ABSENT, "" if function is None else f"graph {function.function}")
    if others:
        yield _fact("", f"also in {', '.join(others)}; --function chooses")
    if names.layer:
        yield _fact("Layer", names.layer)
    if names.source is not None:
        yield (Span("  Line:      "), place_span(names.source))
    for head, variables in (("Reads", site.reads), ("Writes", site.writes)):
        known = [program.variables[each].name for each in variables if each in program.variables]
        if known:
            yield _fact(head, ", ".join(known))
    if site.gradient_of in program.sites:
        forward = program.sites[site.gradient_of].name
        yield (Span("  Gradient of "), Span(forward, "link", f"ni {forward}"))
    if node.row is None and node.event is not None:
        yield (Span("  Tensor:    "), health_span(opened.row(node.event)))
    yield ()


def _fact(head: str, value: str, more: str = "") -> Line:
    heading = f"  {f'{head}:' if head else '':<10} "
    return (Span(heading), Span(value), *([Span(f" ({more})", "dim")] if more else []))


def _neighbours(opened: ConnectedNodes, node: Node, scope: Scope) -> Iterator[Line]:
    sides = (
        ("input(s)", inputs_of(opened, node, scope), control_inputs(opened, node)),
        ("recipient(s)", consumers_of(opened, node), control_consumers(opened, node)),
    )
    for head, found, waiting in sides:
        control = f" + {len(waiting)} control {head}" if waiting is not None else ""
        yield (Span(f"  {count(len(found))} {head}{control}:", "heading"),)
        for each in [*found, *control_nodes(opened, node, waiting or ())]:
            yield (Span("    "), *node_spans(each))
        yield ()


def _attributes(opened: NamedSites, node: Node) -> Iterator[Line]:
    yield (Span("Node attributes:", "heading"),)
    attributes = json.loads(opened.site(node.site).site.attributes)
    for name, value in attributes.items():
        yield (Span(f"  {name}:"),)
        yield (Span(f"    {json.dumps(value, ensure_ascii=False)}"),)
    if not attributes:
        yield (Span("  (none)", "dim"),)
    yield ()


def _dumps(opened: ListedTensors, node: Node, scope: Scope) -> list[Lines]:
    events = scope.narrow(np.flatnonzero(opened.columns.whole("site") == node.site))
    title = text_lines(f"{amount(len(events), 'recorded tensor')} of {scope.text}:", style="heading")
    if not len(events):
        return [title, text_lines("")]
    return [title, TensorRows(opened, events, steps=len(scope.runs) != 1), text_lines("")]


def _traceback(opened: LocatedNodes, node: Node) -> Iterator[Line]:
    yield (Span("Traceback of node construction:", "heading"),)
    stack = opened.locations.stack(opened.site(node.site).site.stack)
    for number, line in enumerate(stack):
        look: Style = "link" if line.user else "dim"
        place = Span(f"{line.file}:{line.line}", look, source_command(line.file, line.line))
        yield (Span(f"  {number}: "), place, Span(f" in {line.function}"))
        if line.text:
            yield (Span(f"       {line.text}", "bold" if line.user else "dim"),)
    if not stack or node.site == NONE:
        yield (Span("  (unknown)", "dim"),)
