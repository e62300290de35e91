"""The common part of `list_inputs` and `list_outputs`: their options and their page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tensordbg.console.names.node import Node
from tensordbg.console.names.node_tree import Tree, tree_lines
from tensordbg.console.names.nodes import (
    consumers_of,
    control_consumers,
    control_inputs,
    control_nodes,
    find_node,
    inputs_of,
)
from tensordbg.console.options import function_option, run_option
from tensordbg.console.pages.page import FixedLines, Line, Page, Place, Span
from tensordbg.model import NONE
from tensordbg.report.numbers import amount

if TYPE_CHECKING:
    from tensordbg.console.console import Console
    from tensordbg.console.names.nodes import ConnectedNodes
    from tensordbg.console.names.runs import Scope

Function = TypeVar("Function", bound=Callable[..., Any])


def tree_command(function: Function) -> Function:
    """Adds the argument and the options."""
    for option in (
        run_option,
        function_option,
        click.option("-t", "--op_type", "op_type", is_flag=True, help="Types are always shown."),
        click.option("-r", "--recursive", is_flag=True, help="Go on from what was found."),
        click.option("-d", "--depth", type=click.IntRange(min=1), metavar="N", help="... so many steps."),
        click.option("-c", "--control", is_flag=True, help="Also what is only waited for, if graphs were kept."),
        click.argument("name", metavar="NODE"),
    ):
        function = option(function)
    return function


@dataclass(frozen=True)
class _Steps:
    """The steps to one side."""

    opened: ConnectedNodes
    scope: Scope
    up: bool
    control: bool

    def of(self, node: Node) -> Iterator[Node]:
        """The nodes next to a node."""
        if node.site == NONE and (node.stated_place == NONE or not self.up):
            return
        yield from inputs_of(self.opened, node, self.scope) if self.up else consumers_of(self.opened, node)
        if self.control and node.site != NONE:
            names = (control_inputs if self.up else control_consumers)(self.opened, node)
            yield from control_nodes(self.opened, node, names or ())


def tree_page(console: Console, title: str, *, name: str, run: str, **options: Any) -> Page:
    """The page of one side of a node.

    Raises:
        UsageError: If there is no such node.
    """
    opened, scope = console.opened, console.scope(run)
    root, others = find_node(opened, name, scope, options["function"])
    depth = options["depth"] or console.settings.graph_recursion_depth
    steps = _Steps(opened, scope, title.startswith("Inputs"), options["control"])
    tree = Tree(steps.of, depth if options["recursive"] else 1)
    lines = tree_lines(root, tree)
    included = ", control inputs included" if options["control"] else ""
    heading = f'{title} "{root.name}" (Depth limit = {tree.depth}{included}):'
    source = opened.site(root.site).source
    foot = _foot(opened, root, lines, others, options["control"])
    return Page(
        heading,
        FixedLines((*lines, *foot)),
        event=root.event,
        place=None if source is None else Place(source.file, source.line),
    )


def _foot(
    opened: ConnectedNodes, root: Node, lines: list[Line], others: tuple[str, ...], control: bool
) -> Iterator[Line]:
    """Legend and notes."""
    if not lines:
        yield (Span("  (none)", "dim"),)
    else:
        yield ()
        yield (Span("Legend: (d): recursion depth = d. [Op]: type of the operation. (Ctrl): control input.", "dim"),)
    if control and control_inputs(opened, root) is None:
        yield (Span("Control inputs are not known: record with --graphs to have them.", "dim"),)
    if others:
        more = amount(len(others), "more function")
        yield (Span(f"{more} with a node of this name: {', '.join(others)}; --function chooses", "dim"),)
