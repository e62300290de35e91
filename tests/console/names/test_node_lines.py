from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.console.console import Console
from tensordbg.console.names.node import Node
from tensordbg.console.names.node_lines import health_span, node_spans
from tensordbg.console.names.runs import EVERYTHING
from tensordbg.console.names.tensors import find_tensor, parse_tensor


def rows(console: Console, name: str) -> list[SeenTensor]:
    opened = console.opened
    return opened.rows(find_tensor(opened, parse_tensor(name), EVERYTHING).events)


def test_health_in_few_words(console: Console) -> None:
    first, second, *_ = rows(console, "Log")
    assert health_span(second).text.endswith("-inf of 128")
    assert health_span(second).style == "bad"
    assert health_span(first).style == "dim"
    assert " to " in health_span(first).text
    assert health_span(first).command == f"pt Log:0 -e {first.event}"
    assert health_span(replace(first, health=None)).text == "float32[32, 4]"


def test_nodes_lead_on() -> None:
    spans = node_spans(Node("a b", "Relu", tensor="a b:1", control=True))
    assert "".join(span.text for span in spans) == "(Ctrl) [Relu] a b:1"
    assert spans[-1].command == 'ni "a b"'
