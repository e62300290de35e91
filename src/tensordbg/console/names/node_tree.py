"""The tree of what a node was computed from, or of what was computed from it, each node once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tensordbg.console.names.node import Node
from tensordbg.console.names.node_lines import node_spans
from tensordbg.console.pages.page import Line, Span

Steps = Callable[[Node], Iterable[Node]]
"""What lies next to a node."""


@dataclass(frozen=True)
class Tree:
    """How far the tree goes."""

    steps: Steps
    depth: int
    """So many steps."""


def tree_lines(root: Node, tree: Tree) -> list[Line]:
    """The lines below the root; a node that stands further up already is not opened again."""
    lines: list[Line] = []
    seen = {_key(root)}
    waiting = [(1, each) for each in reversed(list(tree.steps(root)))]
    while waiting:
        depth, node = waiting.pop()
        again = _key(node) in seen
        seen.add(_key(node))
        following = [] if again else list(tree.steps(node))
        cut = bool(following) and depth >= tree.depth
        lines.append((Span(f"{'|  ' * (depth - 1)}|- ({depth}) ", "dim"), *node_spans(node), *_note(again, cut, tree)))
        if not cut:
            waiting += [(depth + 1, each) for each in reversed(following)]
    return lines


def _note(again: bool, cut: bool, tree: Tree) -> list[Span]:
    if again:
        return [Span("  (above)", "dim")]
    return [Span("  ...", "dim")] if cut and tree.depth > 1 else []


def _key(node: Node) -> tuple[object, ...]:
    return (node.event,) if node.event is not None else (node.site, node.name, node.stated_place)
