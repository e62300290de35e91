from __future__ import annotations

from tensordbg.console.names.node import Node
from tensordbg.model import NONE


def test_a_name_and_a_type_are_enough() -> None:
    node = Node("Log", "Log")
    assert (node.site, node.event, node.row, node.stated_place) == (NONE, None, None, NONE)
    assert node == Node("Log", "Log") != Node("Log", "Log", control=True)
