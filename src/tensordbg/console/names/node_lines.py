"""How nodes are written: type, name, and how the tensor fared that was recorded of each."""

from __future__ import annotations

from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.console.names.node import Node
from tensordbg.console.pages.page import Span
from tensordbg.console.pages.texts import word
from tensordbg.report.listing import type_text
from tensordbg.report.numbers import count, short


def node_spans(node: Node) -> list[Span]:
    """`[Relu] hidden/Relu`, and what was recorded; the name leads to the node, the numbers to the tensor."""
    spans = [Span("(Ctrl) ", "dim")] if node.control else []
    spans += [Span(f"[{node.op_type}] "), Span(node.tensor or node.name, "link", f"ni {word(node.name)}")]
    if node.row is not None:
        spans += [Span("   "), health_span(node.row)]
    elif node.stated:
        spans.append(Span(f"   {node.stated}", "dim"))
    return spans


def health_span(row: SeenTensor) -> Span:
    """In few words how a tensor fared; it leads there."""
    command = f"pt {word(row.tensor)} -e {row.event}"
    health = row.health
    if health is None:
        return Span(type_text(row), "dim", command)
    counts = ((health.nan, "nan"), (health.neg_inf, "-inf"), (health.pos_inf, "+inf"))
    found = ", ".join(f"{count(number)} {name}" for number, name in counts if number)
    if found:
        return Span(f"{type_text(row)} {found} of {count(health.size)}", "bad", command)
    some = health.zero and "zero" not in health.unmeasured
    zeros = f", {count(health.zero)} zero of {count(health.size)}" if some else ""
    return Span(f"{type_text(row)} {short(health.min)} to {short(health.max)}{zeros}", "dim", command)
