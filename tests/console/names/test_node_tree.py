from __future__ import annotations

from tensordbg.console.names.node import Node
from tensordbg.console.names.node_tree import Tree, tree_lines
from tensordbg.console.pages.page import plain

GRAPH = {"a": ["b", "c"], "b": ["d"], "c": ["d", "a"], "d": ["e"], "e": []}


def lines(depth: int) -> list[str]:
    tree = Tree(lambda node: [Node(name, "Op") for name in GRAPH[node.name]], depth)
    return [plain(line) for line in tree_lines(Node("a", "Op"), tree)]


def test_each_node_is_opened_once_also_in_a_circle() -> None:
    assert lines(20) == [
        "|- (1) [Op] b",
        "|  |- (2) [Op] d",
        "|  |  |- (3) [Op] e",
        "|- (1) [Op] c",
        "|  |- (2) [Op] d  (above)",
        "|  |- (2) [Op] a  (above)",
    ]


def test_it_ends_at_a_depth_and_shows_where_it_would_go_on() -> None:
    assert lines(2)[:2] == ["|- (1) [Op] b", "|  |- (2) [Op] d  ..."]
    assert lines(1) == ["|- (1) [Op] b", "|- (1) [Op] c"]
